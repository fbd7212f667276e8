import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { metricsOf } from '@switchroom/contract/metrics/table'
import { done } from '../../../testing/agents/test-agents.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { fleetKey, startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { grownSince, metricValues } from '../../../testing/http/metric-values.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()

const names = [
  'switchroom_calls_ended_total',
  'switchroom_turns_total',
  'switchroom_turn_latency_seconds',
  'switchroom_interruptions_total',
  'switchroom_call_errors_total',
  'switchroom_vendor_errors_total',
  'switchroom_vendor_switches_total',
  'switchroom_vendor_latency_seconds',
]
async function valuesAt({ metrics }: Deployment): Promise<Record<string, Record<string, number>>> {
  const { text } = await metrics.get('/metrics')
  return Object.fromEntries(names.map((name) => [name, metricValues(text, name)]))
}

async function grownBy(at: Deployment, work: () => Promise<void>) {
  const before = await valuesAt(at)
  await work()
  const now = await valuesAt(at)
  return Object.fromEntries(
    names.flatMap((name) => {
      const grown = grownSince(before[name] ?? {}, now[name] ?? {})
      return Object.keys(grown).length === 0 ? [] : [[name, grown]]
    }),
  )
}

const turn = [
  { type: 'user.message', data: { text: 'hello', messageId: 'm1' } },
  { type: 'agent.message', data: { text: 'good day', messageId: 'm2' } },
  { type: 'bot.interrupted', data: {} },
  {
    type: 'metrics',
    data: { stage: 'turn', messageId: 'm2', transcript_ms: 210, first_token_ms: null, heard_ms: 850 },
  },
  {
    type: 'metrics',
    data: { stage: 'llm', vendor: 'openai', model: 'x', first_word_ms: 400, total_ms: 900 },
  },
  { type: 'error', data: { code: 'llm_timeout', detail: 'late', vendor: 'a vendor that is not installed' } },
  { type: 'vendor.switched', data: { stage: 'tts', vendor: 'deepgram', state: 'down', serves: 'openai' } },
]
const facts = {
  switchroom_calls_ended_total: { 'env=sandbox,reason=hangup': 1 },
  switchroom_turns_total: { 'env=sandbox,who=caller': 1, 'env=sandbox,who=agent': 1 },
  switchroom_interruptions_total: { 'env=sandbox': 1 },
  switchroom_call_errors_total: { 'env=sandbox,code=llm_timeout': 1 },
}

test('each entry is counted once, by the gateway that stored it, and no label names the call', async () => {
  const call = await desk.open()
  const atOther = await valuesAt(other)
  const entries = [...turn, { type: 'call.ended', data: { reason: 'hangup' } }]
  const grown = await grownBy(deployment, async () => {
    done(await desk.append(call, entries, 1))
    // the same batch again, to the other gateway, as after a lost answer
    done(await other.anonymous.as(fleetKey).post(`/v1/calls/${call}/events`, { entries, batch: 1 }))
  })
  assert.deepEqual(grown, {
    ...facts,
    switchroom_turn_latency_seconds: { 'env=sandbox,step=transcript': 1, 'env=sandbox,step=heard': 1 },
    switchroom_vendor_errors_total: { 'stage=llm,vendor=other': 1 },
    switchroom_vendor_switches_total: { 'stage=tts,vendor=deepgram,state=down': 1 },
    switchroom_vendor_latency_seconds: { 'stage=llm,vendor=openai': 1 },
  })
  assert.deepEqual(await valuesAt(other), atOther)
  assert.ok(!(await deployment.metrics.get('/metrics')).text.includes(call))
})

test("what an org's own worker measures is its own affair: only the facts of its calls are counted", async () => {
  const call = await desk.open()
  const { key } = await org.serverToken('sandbox')
  const entries = [...turn, { type: 'call.ended', data: { reason: 'hangup' } }]
  const grown = await grownBy(other, async () => {
    done(await other.anonymous.as(key).post(`/v1/calls/${call}/events`, { entries }))
  })
  assert.deepEqual(grown, facts)
})

test('figures that are none are not counted', async () => {
  const call = await desk.open()
  const odd = { transcript_ms: -1, turn_end_ms: 'soon', first_token_ms: 1e9, heard_ms: Number.NaN }
  const grown = await grownBy(deployment, async () => {
    done(await desk.append(call, [{ type: 'metrics', data: { stage: 'turn', ...odd } }]))
    done(await desk.append(call, [{ type: 'error', data: { code: 'a code of mine', vendor: 7 } }]))
  })
  assert.deepEqual(grown, { switchroom_call_errors_total: { 'env=sandbox,code=other': 1 } })
})

test("a gateway's page has every metric of the table that is the gateway's", async () => {
  const { text } = await deployment.metrics.get('/metrics')
  const missing = metricsOf('gateway').filter(({ name, type }) => !text.includes(`# TYPE ${name} ${type}`))
  assert.deepEqual(missing, [])
  assert.match(text, /^switchroom_log_append_seconds_count [1-9]/m)
  assert.match(text, /^switchroom_queue_length\{queue="letters"\} \d/m)
  assert.match(text, /^switchroom_database_connections\{pool="writing",state="most"\} [1-9]/m)
  assert.match(text, /^switchroom_connections_open\{kind="app_socket"\} 1/m)
})
