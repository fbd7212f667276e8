import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorKey, startDeployment } from '@switchroom/gateway/testing/deployment'
import { messagingSettings } from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { MessagingFake } from '@switchroom/gateway/testing/messaging/messaging-fake'
import { assertNothingRemains } from '../../testing/load-remains.ts'
import { Machine } from '../../testing/terminal.ts'
import type { LoadReport } from '../load/reports/load-report.ts'

const platform = await MessagingFake.start()
after(() => platform.stop())
const settings = messagingSettings(platform)
const deployment = await startDeployment(settings)
after(() => deployment[Symbol.asyncDispose]())

const args = ['load', '--profile', 'webhooks', '--at-once', '3', '--every', '300ms', '--hold', '4s']
const patient = ['--own-delay', '1m', '--target', 'p95=1m', '--target', 'failures=100%']

test('deliveries are signed as the platform signs them and taken, ask nothing of the platform, and leave nothing', async (t) => {
  const machine = Machine.of(t, {
    SVC_GATEWAY_URL: deployment.url,
    SVC_KEY: operatorKey,
    SVC_MSGAPP_APP_SECRET: settings.SVC_MSGAPP_APP_SECRET,
  })
  const { status, stdout, stderr } = await machine.run([...args, ...patient, '--report', 'json'])
  assert.equal(status, 0, stderr)
  const report = JSON.parse(stdout) as LoadReport
  assert.ok((report.steps.at(-1)?.series['webhooks']?.done ?? 0) > 0, JSON.stringify(report.failures))
  assert.equal(platform.requests.length, 0)
  await assertNothingRemains(deployment)
})

test('with another app secret than the gateway has, the trial says why and the run is refused', async (t) => {
  const machine = Machine.of(t, {
    SVC_GATEWAY_URL: deployment.url,
    SVC_KEY: operatorKey,
    SVC_MSGAPP_APP_SECRET: 'another',
  })
  const { status, stderr } = await machine.run([...args, ...patient])
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^svc: the trial of webhooks before the run failed, so the run would measure nothing: the delivery was answered 403: X-Hub-Signature-256 does not sign these bytes$/m,
  )
  await assertNothingRemains(deployment)
})
