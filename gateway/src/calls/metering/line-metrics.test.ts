import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()

const linesIn = async () =>
  (await deployment.metrics.get('/metrics')).text
    .split('\n')
    .filter((line) => /^svc_line_\w+_(count|sum)/.test(line))
    .toSorted()

const line = (whole: unknown, more: object = {}) => ({
  type: 'metrics',
  data: {
    stage: 'line',
    codec: 'PCMU',
    whole,
    round_trip_ms: 250,
    heard: { packets: 500, loss_percent: 25, jitter_ms: 500, mos: 3.5 },
    sent: null,
    ...more,
  },
})

test('the metrics count how the line of each call was, once, at its end, and name no call', async () => {
  const call = await desk.open()
  done(await desk.append(call, [line(false), line(true)]))
  assert.deepEqual(await linesIn(), [
    'svc_line_jitter_seconds_count{way="heard"} 1',
    'svc_line_jitter_seconds_sum{way="heard"} 0.5',
    'svc_line_loss_ratio_count{way="heard"} 1',
    'svc_line_loss_ratio_sum{way="heard"} 0.25',
    'svc_line_mos_count{way="heard"} 1',
    'svc_line_mos_sum{way="heard"} 3.5',
    'svc_line_round_trip_seconds_count 1',
    'svc_line_round_trip_seconds_sum 0.25',
  ])
})

test("figures that are none, and those of an org's own worker, are not counted", async () => {
  const before = await linesIn()
  const call = await desk.open()
  const odd = { heard: { mos: 'good', loss_percent: 900, jitter_ms: null }, sent: 'x', round_trip_ms: -1 }
  done(await desk.append(call, [line(true, odd), { type: 'metrics', data: { stage: 'line', whole: true } }]))
  const { client } = await org.serverToken('sandbox')
  done(await client.post(`/v1/calls/${call}/events`, { entries: [line(true)] }))
  assert.deepEqual(await linesIn(), before)
})
