import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { LoadReport } from '@switchroom/cli/load/reports/load-report'
import { assertNothingRemains } from '@switchroom/cli/testing/load-remains'
import { Machine } from '@switchroom/cli/testing/terminal'
import { operatorKey } from '@switchroom/gateway/testing/deployment'
import { messagingSettings } from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { MessagingFake } from '@switchroom/gateway/testing/messaging/messaging-fake'
import { startVoiceDeployment } from './spoken-fixture.ts'

const platform = await MessagingFake.start()
after(() => platform.stop())
const messaging = messagingSettings(platform)
const near = { SVC_PRIVATE_NETWORKS: '127.0.0.0/8' }
const fixture = await startVoiceDeployment(
  { after },
  {
    gateway: { SVC_DOMAIN: 'voice.example', ...near, ...messaging },
    worker: { SVC_SIP_LOCAL_ORG: '', ...near },
  },
)
const { deployment, worker } = fixture

const settings = {
  SVC_GATEWAY_URL: deployment.url,
  SVC_KEY: operatorKey,
  SVC_MSGAPP_APP_SECRET: messaging.SVC_MSGAPP_APP_SECRET,
}
/** A busy machine may be as late as it is: what is proven is that everything is done and nothing is left. */
const patient = ['--own-delay', '1m', '--target', 'p95=1m', '--target', 'failures=100%', '--report', 'json']
const sip = ['--sip', `127.0.0.1:${worker.sipPort}`]

async function load(machine: Machine, args: string[]): Promise<LoadReport> {
  const { status, stdout, stderr } = await machine.run(['load', ...args, ...patient])
  assert.equal(status, 0, `${stderr}${stdout}`)
  const report = JSON.parse(stdout) as LoadReport
  await assertNothingRemains(deployment)
  return report
}

const doneIn = (report: LoadReport, series: string) =>
  report.steps.reduce((sum, step) => sum + (step.series[series]?.done ?? 0), 0)

test('an agent dials the phones of the load generator, which ring, answer and hang up', async (t) => {
  const machine = Machine.of(t, settings)
  const report = await load(machine, [
    '--profile',
    'dials',
    '--at-once',
    '1',
    '--every',
    '3s',
    '--hold',
    '9s',
  ])
  assert.ok(doneIn(report, 'dials') > 0, JSON.stringify(report.failures))
  assert.ok(doneIn(report, 'dials.taken') > 0)
})

test('phones call the agent over SIP, say what was recorded and hear the answer', async (t) => {
  const machine = Machine.of(t, settings)
  const report = await load(machine, [
    '--profile',
    'calls',
    ...sip,
    '--at-once',
    '1',
    '--every',
    '4s',
    '--hold',
    '12s',
  ])
  assert.ok(doneIn(report, 'calls') > 0, JSON.stringify(report.failures))
  assert.ok(doneIn(report, 'calls.setup') > 0)
})

test('a mixed load does all of it at once', async (t) => {
  const machine = Machine.of(t, settings)
  const report = await load(machine, [
    '--profile',
    'mixed',
    ...sip,
    '--at-once',
    '4',
    '--every',
    '3s',
    '--hold',
    '12s',
  ])
  for (const series of ['chats', 'webhooks', 'dials', 'calls'])
    assert.ok(doneIn(report, series) > 0, `${series}: ${JSON.stringify(report.failures)}`)
})

test('a run that the workers have no places for is refused before it begins', async (t) => {
  const machine = Machine.of(t, settings)
  const { status, stderr } = await machine.run(['load', '--profile', 'calls', ...sip, '--at-once', '500'])
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^svc: the workers of this deployment have \d+ free places in sandbox, and the run needs 500: raise SVC_WORKER_CALLS, start more workers, or load with less$/m,
  )
  await assertNothingRemains(deployment)
})
