import type { EvalReport, Verdict } from '@switchroom/contract/evals'
import { kindThere, textOf } from '../expectations/expectations.ts'
import type { RunScenario, SettledAttempt } from '../runs/runs.ts'
import { kindOfScenario } from '../scenarios/definition-rules.ts'
import { percentile, rateOf } from './rates.ts'

const mostFailures = 200

/** What the settled calls of a run say; those that were cancelled say nothing. */
export function reportOf(
  scenarios: readonly RunScenario[],
  settled: readonly SettledAttempt[],
): Omit<EvalReport, 'run'> {
  const held = settled.filter(({ outcome }) => outcome !== 'cancelled')
  const latencies = held.flatMap(({ latencies_ms }) => latencies_ms).toSorted((one, other) => one - other)
  return {
    pass: passOf(held),
    scenarios: scenarios.map((scenario) => {
      const own = held.filter((attempt) => attempt.scenario === scenario.name)
      return {
        name: scenario.name,
        kind: kindOfScenario(scenario.definition),
        version: scenario.version,
        pass: passOf(own),
        expectations: scenario.definition.expect.map((one, place) => ({
          kind: kindThere(one),
          text: textOf(one),
          ...judgedAs(own.flatMap(({ verdicts }) => verdicts[place] ?? [])),
        })),
      }
    }),
    latency: {
      answers: latencies.length,
      p50_ms: percentile(latencies, 0.5),
      p90_ms: percentile(latencies, 0.9),
      p99_ms: percentile(latencies, 0.99),
      max_ms: latencies.at(-1) ?? null,
    },
    credits: held.reduce((sum, { credits }) => sum + credits, 0),
    failures: held.flatMap(failuresOf).slice(0, mostFailures),
  }
}

const passOf = (attempts: readonly SettledAttempt[]) =>
  rateOf(attempts.filter(({ outcome }) => outcome === 'passed').length, attempts.length)

const judgedAs = (verdicts: readonly Verdict[]) => ({
  pass: rateOf(verdicts.filter(({ answer }) => answer === 'yes').length, verdicts.length),
  unclear: verdicts.filter(({ answer }) => answer === 'unclear').length,
})

/** An expectation that does not hold is a failure of its own; a call with an error has one. */
function failuresOf(attempt: SettledAttempt): EvalReport['failures'] {
  const { id, scenario, outcome, call, why, verdicts } = attempt
  const where = { attempt: id, scenario, call }
  if (outcome === 'error')
    return [{ ...where, outcome, expectation: null, why: why ?? 'the call failed', seq: null }]
  return verdicts
    .filter(({ answer }) => answer !== 'yes')
    .map((verdict) => ({
      ...where,
      outcome: 'failed',
      expectation: verdict.text,
      why: verdict.why,
      seq: verdict.seqs[0] ?? null,
    }))
}
