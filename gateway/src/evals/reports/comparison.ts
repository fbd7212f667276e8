import type { EvalComparison, EvalReport, Rate } from '@switchroom/contract/evals'
import { isSignificant, rateOf } from './rates.ts'

type Compared = EvalComparison['scenarios'][number]

const order = ['worse', 'better', 'gone', 'new', 'same'] as const

/** Two runs side by side, scenario by scenario of the same name. */
export function comparisonOf(before: EvalReport, after: EvalReport): EvalComparison {
  const [passBefore, passAfter] = [passesByName(before), passesByName(after)]
  const names = new Set([...passBefore.keys(), ...passAfter.keys()])
  return {
    before: before.run,
    after: after.run,
    pass: { before: before.pass, after: after.pass },
    is_significant: isSignificant(before.pass, after.pass),
    scenarios: [...names]
      .map((name) => compared(name, passBefore.get(name), passAfter.get(name)))
      .toSorted((one, other) => order.indexOf(one.change) - order.indexOf(other.change)),
    latency_p50_ms: { before: before.latency.p50_ms, after: after.latency.p50_ms },
    credits: { before: before.credits, after: after.credits },
  }
}

const passesByName = ({ scenarios }: EvalReport) =>
  new Map(scenarios.map(({ name, pass }) => [name, pass] as const))

function compared(name: string, before: Rate | undefined, after: Rate | undefined): Compared {
  const none = rateOf(0, 0)
  return { name, change: changeOf(before, after), before: before ?? none, after: after ?? none }
}

function changeOf(before: Rate | undefined, after: Rate | undefined): Compared['change'] {
  if (!before) return 'new'
  if (!after) return 'gone'
  if (before.rate === null || after.rate === null || before.rate === after.rate) return 'same'
  return after.rate > before.rate ? 'better' : 'worse'
}
