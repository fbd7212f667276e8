import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { operatorKey, startDeployment, type Deployment } from '@switchroom/gateway/testing/deployment'
import { assertNothingRemains } from '../../testing/load-remains.ts'
import { startSlowProxy } from '../../testing/slow-proxy.ts'
import { Machine } from '../../testing/terminal.ts'
import { Invocation } from '../invocation/invocation.ts'
import type { LoadReport } from '../load/reports/load-report.ts'
import { parse } from '../parsing.ts'
import { loadCommands } from './load.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

/** The operator's machine; the generator may be as late as a busy machine makes it. */
const operatorOf = (t: Parameters<typeof Machine.of>[0], { url }: { url: string } = deployment) =>
  Machine.of(t, { SVC_GATEWAY_URL: url, SVC_KEY: operatorKey })
const patient = ['--own-delay', '1m', '--target', 'p95=1m', '--target', 'failures=100%']
const chats = ['load', '--profile', 'chats', '--at-once', '2', '--every', '400ms']

const runOf = async (machine: Machine, args: string[]): Promise<LoadReport> => {
  const { stdout, stderr, status } = await machine.run([...args, '--report', 'json'])
  assert.equal(stdout === '' ? stderr : '', '')
  const report = JSON.parse(stdout) as LoadReport
  assert.equal(status, report.verdict === 'kept' ? 0 : 1)
  assert.deepEqual(report.left_behind, [])
  return report
}

const orgsOf = async ({ operator }: Deployment) =>
  (done(await operator.get('/v1/ops/orgs')).orgs as { slug: string; name: string }[]).filter(
    ({ slug }) => slug === 'svc-load',
  )

test("svc load runs only with the operator's key, and makes nothing with another", async (t) => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const { status, stderr } = await machine.run([...chats, '--hold', '1s'])
  assert.deepEqual(
    [status, stderr],
    [
      1,
      `svc: svc load runs only with the operator key of the deployment at ${deployment.url}, and this key is not it: sign in with svc login --operator, or set SVC_KEY to the operator key\n`,
    ],
  )
  assert.deepEqual(await orgsOf(deployment), [])
})

test('chats are measured step by step, judged, and leave nothing in the org of their own', async (t) => {
  const machine = operatorOf(t)
  const metrics = `http://127.0.0.1:${deployment.gateway.metricsPort}`
  const steps = ['--ramp', '1s', '--steps', '1', '--hold', '4s', '--seed', '7', '--metrics', metrics]
  const report = await runOf(machine, [...chats, ...steps, ...patient])
  assert.equal(report.verdict, 'kept', report.reasons.join('; '))
  assert.deepEqual(
    [
      report.seed,
      report.profile,
      report.steps.map(({ share }) => share),
      report.series.map(({ name }) => name),
    ],
    [7, 'chats', [0.5, 1], ['chats', 'chats.open']],
  )
  const held = report.steps.at(-1)
  const seen = held?.series['chats']
  assert.ok(seen && seen.done > 0 && seen.latency_ms, JSON.stringify(report.failures))
  const { p50, p90, p95, p99, max } = seen.latency_ms
  assert.deepEqual(
    [p50, p90, p95, p99, max],
    [p50, p90, p95, p99, max].toSorted((a, b) => a - b),
  )
  assert.ok((held.deployment?.['process_resident_memory_bytes'] ?? 0) > 0)
  assert.deepEqual(
    (await orgsOf(deployment)).map(({ name }) => name),
    ['Load test (made by svc load)'],
  )
  await assertNothingRemains(deployment)
  const { caps, quotas } = done(await deployment.operator.get('/v1/ops/orgs/svc-load/quotas'))
  assert.deepEqual([caps.chats, caps.event_streams, quotas.concurrent_calls], [500, 100, null])
  const { dial_anywhere, per_minute } = done(await deployment.operator.get('/v1/ops/orgs/svc-load/dialling'))
  assert.equal(dial_anywhere, false)
  assert.ok(per_minute < 1_000)
})

test('the demonstration model answers alone if that is asked for, at a rate, and the report can be a page in a file', async (t) => {
  const machine = operatorOf(t)
  const file = join(machine.home, 'load.html')
  const args = [
    'load',
    '--profile',
    'chats',
    '--rate',
    '4/s',
    '--every',
    '500ms',
    '--answer',
    'model',
    '--hold',
    '4s',
  ]
  const { status, stdout, stderr } = await machine.run([
    ...args,
    ...patient,
    '--report',
    'html',
    '--out',
    file,
  ])
  assert.deepEqual([status, stdout], [0, ''], stderr)
  assert.match(stderr, /verdict: kept; the report is in /)
  const page = readFileSync(file, 'utf8')
  assert.match(page, /^<!doctype html>/)
  assert.match(page, /2 at once, each every 0\.5 s/)
  await assertNothingRemains(deployment)
})

test('a slow deployment breaks the verdict, with a sentence for the target and exit status 1', async (t) => {
  await using proxy = await startSlowProxy(deployment.url, 400)
  const machine = operatorOf(t, proxy)
  const args = [
    ...chats,
    '--hold',
    '4s',
    '--own-delay',
    '1m',
    '--target',
    'p95=200ms',
    '--target',
    'failures=100%',
  ]
  const report = await runOf(machine, args)
  assert.equal(report.verdict, 'broken')
  assert.equal(report.reasons.length, 1)
  assert.match(report.reasons[0] ?? '', /^chats: p95 was .+, and 200 ms is the target$/)
})

test('a run in which the generator is later than allowed is not valid', async (t) => {
  const machine = operatorOf(t)
  const report = await runOf(machine, [...chats, '--hold', '1s', ...patient.slice(2), '--own-delay', '0ms'])
  assert.equal(report.verdict, 'not valid')
  assert.match(report.reasons[0] ?? '', /^the generator itself was the bottleneck/)
})

test('Ctrl-C ends the run and removes everything that it made', async (t) => {
  const terminal = operatorOf(t).open([...chats, '--hold', '10m'])
  await terminal.shows('100% of the load')
  const { rows } = await deployment.sql(
    `select 1 from keys where label like 'svc load%' and revoked_at is null`,
  )
  assert.equal(rows.length, 1)
  terminal.type('\u0003')
  const { status, text } = await terminal.ended()
  assert.equal(status, 130, text)
  assert.match(text, /Removing what the run made/)
  assert.doesNotMatch(text, /could not be removed/)
  await assertNothingRemains(deployment)
})

test('two runs at once are refused, and so is an org of that name that somebody else made', async (t) => {
  const machine = operatorOf(t)
  const wanted = { label: 'svc load other', env: 'sandbox', scopes: ['app'] }
  done(await deployment.operator.post('/v1/ops/orgs/svc-load/keys', wanted))
  const second = await machine.run([...chats, '--hold', '1s'])
  assert.equal(second.status, 1)
  assert.match(
    second.stderr,
    /^svc: another svc load runs against this deployment since .+: wait until it ends/m,
  )
  await deployment.sql(`update keys set revoked_at = now() where label like 'svc load%'`)
  await deployment.sql(`update orgs set name = 'Theirs' where slug = 'svc-load'`)
  const foreign = await machine.run([...chats, '--hold', '1s'])
  assert.deepEqual(
    [foreign.status, foreign.stderr],
    [
      1,
      'svc: the org svc-load of this deployment is not one of svc load, which uses that name for its own: rename it, or load another deployment\n',
    ],
  )
  await deployment.sql(`update orgs set name = 'Load test (made by svc load)' where slug = 'svc-load'`)
})

test('a line of svc load that makes no sense is 2 with a sentence, before anything is asked or made', async () => {
  const [load] = loadCommands
  assert.ok(load)
  const cases: [args: string[], sentence: string][] = [
    [[], '--profile is missing'],
    [['--profile', 'faxes'], 'unknown profile faxes: use chats, webhooks, dials, calls or mixed'],
    [
      ['--profile', 'chats', '--rate', '1', '--at-once', '1'],
      '--rate and --at-once say the same thing in two ways: use one of them',
    ],
    [['--profile', 'chats', '--rate', 'fast'], '--rate fast is not understood: write it as 20, 20/s or 90/m'],
    [['--profile', 'chats', '--at-once', '0'], '--at-once is a whole number from 1 to 5000'],
    [['--profile', 'chats', '--hold', '0s'], '--hold must be longer than nothing, such as 30s'],
    [['--profile', 'chats', '--ramp', 'slow'], '--ramp slow is not understood: write it as 500ms, 30s or 2m'],
    [['--profile', 'chats', '--every', '1ms'], '--every is 100ms at least'],
    [['--profile', 'chats', '--hold', '13h'], '--ramp and --hold take 12 hours together at most'],
    [['--profile', 'chats', '--seed', 'x'], '--seed is a whole number from 0 to 4294967295'],
    [
      ['--profile', 'chats', '--target', 'p95'],
      '--target p95 is not understood: a target is written as p95=1.5s, failures=1% or calls.setup.p95=800ms',
    ],
    [['--profile', 'chats', '--mix', 'chats=1'], '--mix is for --profile mixed'],
    [
      ['--profile', 'mixed', '--mix', 'chats'],
      '--mix chats is not understood: write it as chats=6,webhooks=2,dials=1,calls=1',
    ],
    [['--profile', 'mixed', '--mix', 'chats=1,chats=2'], '--mix chats=1,chats=2 names a profile twice'],
    [
      ['--profile', 'webhooks'],
      'webhook deliveries are signed with the app secret of the messaging platform: set SVC_MSGAPP_APP_SECRET as the gateway has it',
    ],
    [
      ['--profile', 'calls'],
      '--sip is missing: say where the deployment takes calls, as sip.example.com or 127.0.0.1:5060',
    ],
    [
      ['--profile', 'calls', '--sip', 'a b'],
      '--sip a b is not understood: write it as sip.example.com or 127.0.0.1:5060',
    ],
    [['--profile', 'dials', '--own-address', 'here'], '--own-address here is not an IPv4 address'],
    [
      ['--profile', 'chats', '--metrics', 'nowhere'],
      '--metrics nowhere is not an address, such as http://127.0.0.1:8083/metrics',
    ],
  ]
  const ran = (args: string[]) => load.run(new Invocation({}, parse(load, ['load', ...args])))
  for (const [args, sentence] of cases)
    await assert.rejects(ran(args), { exitCode: 2, message: sentence }, args.join(' '))
  const message = /^\/nowhere\/load\.html cannot be written: /
  await assert.rejects(ran(['--profile', 'chats', '--out', '/nowhere/load.html']), { exitCode: 2, message })
})
