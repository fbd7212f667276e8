import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import type { LoadReport } from '../load/reports/load-report.ts'
import { Failure, reasonOf, wrongUsage } from '../terminal/failures.ts'

const reportForms = ['text', 'json', 'html'] as const

const load: Command = {
  name: 'load',
  summary: 'load a deployment whose operator key you hold, and judge how it answers',
  details:
    'Works in an org of its own (svc-load) and removes what it made there, also after Ctrl-C. docs/load.md says\nhow to read the report. Exit status 0: every target is kept; 1: a target is broken, or the run is not valid.',
  options: [
    { name: 'profile', value: 'name', summary: 'chats, webhooks, dials, calls or mixed' },
    { name: 'at-once', value: 'count', summary: 'how many people use it at once (default 5)' },
    { name: 'rate', value: 'rate', summary: 'instead: how much they do in all, as 20/s or 90/m' },
    { name: 'every', value: 'duration', summary: 'how often each of them does something' },
    { name: 'ramp', value: 'duration', summary: 'time in which the load climbs (default 0s)' },
    { name: 'steps', value: 'count', summary: 'steps of the ramp (default 4)' },
    { name: 'hold', value: 'duration', summary: 'time at full load, which is judged (default 30s)' },
    {
      name: 'target',
      value: 'target',
      summary: 'as p95=1.5s, failures=1% or chats.open.p95=1s',
      isRepeated: true,
    },
    {
      name: 'own-delay',
      value: 'duration',
      summary: 'p99 delay of the generator that is still valid (default 100ms)',
    },
    { name: 'seed', value: 'number', summary: 'the same seed gives the same run' },
    { name: 'report', value: 'form', choices: reportForms, summary: 'text (default), json or html' },
    { name: 'out', value: 'path', summary: 'the file of the report (default: standard output)' },
    { name: 'metrics', value: 'url', summary: "the deployment's GET /metrics, for the report" },
    {
      name: 'answer',
      value: 'who',
      choices: ['app', 'model'],
      summary: 'chats: a tool of the app (default), or the demonstration model alone',
    },
    { name: 'sip', value: 'host', summary: 'calls: where the deployment takes calls, as host or host:port' },
    {
      name: 'own-address',
      value: 'address',
      summary: 'calls, dials: where the deployment reaches this machine',
    },
    {
      name: 'speech',
      value: 'path',
      summary: 'calls: what the callers say, a WAV file (default: a recording)',
    },
    {
      name: 'vendors',
      value: 'which',
      choices: ['local', 'deployment'],
      summary: "calls: the speech that ships (default), or the deployment's own vendors",
    },
    { name: 'mix', value: 'shares', summary: 'mixed: as chats=6,webhooks=2,dials=1,calls=1' },
  ],
  examples: [
    'svc load --profile chats --at-once 50 --ramp 30s --hold 2m',
    'svc load --profile chats --rate 20/s --target p95=800ms --report html --out load.html',
    'svc load --profile calls --sip 127.0.0.1:5060 --at-once 10 --hold 1m',
  ],
  async run(invocation) {
    const { loadPlan } = await import('../load/plan/load-plan.ts')
    const plan = loadPlan(invocation)
    refuseUnwritable(invocation.option('out'))
    const { runLoad } = await import('../load/load-run.ts')
    const { profileMaker } = await import('../load/profiles/profile-maker.ts')
    const { ScrapedMetrics } = await import('../load/deployment/scraped-metrics.ts')
    const { LoadRefused } = await import('../load/load-refused.ts')
    const address = invocation.option('metrics')
    const metrics = address === undefined ? undefined : new ScrapedMetrics(address)
    const prepare = profileMaker(invocation, plan)
    const operator = await invocation.operator()
    const signal = stopOnSignals(invocation)
    const report = await runLoad({
      plan,
      operator,
      env: invocation.account.env ?? 'sandbox',
      metrics,
      prepare,
      note: (sentence) => invocation.out.note(sentence),
      signal,
    }).catch((error: unknown) => {
      throw error instanceof LoadRefused ? new Failure(exitCodes.refused, error.message) : error
    })
    await show(invocation, report)
    const isClean = report.verdict === 'kept' && report.left_behind.length === 0
    return isClean ? exitCodes.done : exitCodes.refused
  },
}

/** Before the run, not after it. */
function refuseUnwritable(file: string | undefined): void {
  try {
    if (file !== undefined) accessSync(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK)
  } catch (error) {
    throw wrongUsage(`${file} cannot be written: ${reasonOf(error)}`)
  }
}

/** The first Ctrl-C ends the run and removes what it made; the second leaves it. */
function stopOnSignals({ out }: Invocation): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    if (stopping.signal.aborted) {
      out.note(
        'svc: stopped at once: what the run made may be left in the org svc-load; the next run or its key ends it',
      )
      process.exit(exitCodes.interrupted)
    }
    out.note('Stopping. Press Ctrl-C again to leave what the run made as it is.')
    stopping.abort()
  }
  process.removeAllListeners('SIGINT').on('SIGINT', stop)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  return stopping.signal
}

async function show(invocation: Invocation, report: LoadReport) {
  const form = invocation.isJson ? 'json' : (invocation.option('report') ?? 'text')
  const text = await textOf(form, report)
  const file = invocation.option('out')
  if (file === undefined) return invocation.out.line(text.trimEnd())
  try {
    writeFileSync(file, `${text.trimEnd()}\n`)
  } catch (error) {
    throw wrongUsage(`${file} could not be written: ${reasonOf(error)}`)
  }
  invocation.out.note(`verdict: ${report.verdict}; the report is in ${file}`)
}

async function textOf(form: string, report: LoadReport): Promise<string> {
  if (form === 'json') return JSON.stringify(report, null, 2)
  if (form === 'html') return (await import('../load/reports/html-report.ts')).htmlReport(report)
  return (await import('../load/reports/text-report.ts')).textReport(report)
}

export const loadCommands = [load]
