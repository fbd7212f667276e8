import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { callLog } from '../log/entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { log } = deployment.gateway.services
const org = await deployment.newOrg()
const { client } = await org.serverToken('sandbox')
const live = (await org.serverToken('production')).client

async function newCall(opener = client): Promise<string> {
  return done(await opener.post('/v1/calls', { agent: 'desk' })).call
}
const write = (call: string, ...entries: { type: string; data: Record<string, unknown> }[]) =>
  log.append(callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' }), entries)
const stateOf = async (call: string) => done(await client.get(`/v1/calls/${call}/state`))

test('the state of a call comes from its record and its log (ND-04)', async () => {
  const call = await newCall()
  await sql(
    `update calls set caller = '+34600111222', called = '+34911000000', contact = '+34600111222', channel = 'phone',
       metadata = '{"tier": "gold"}' where id = $1`,
    [call],
  )
  await write(call, { type: 'user.message', data: { text: 'hello', messageId: 'm1' } })
  const { started_at, turns, ...state } = await stateOf(call)
  assert.ok(Math.abs(started_at - Date.now() / 1000) < 30)
  assert.deepEqual([turns.length, turns[0].who, turns[0].text, turns[0].seq], [1, 'contact', 'hello', 1])
  assert.deepEqual(state, {
    call,
    agent: 'desk',
    env: 'sandbox',
    channel: 'phone',
    direction: 'inbound',
    from: '+34600111222',
    to: '+34911000000',
    contact: '+34600111222',
    state: 'open',
    reason: null,
    ended_at: null,
    config_version: null,
    canary: false,
    test: false,
    metadata: { tier: 'gold' },
    held_by: null,
    trace_id: null,
    tools: [],
    errors: [],
    usage: [],
    callbacks: [],
  })
})

test('it changes with the call: held, released, ended', async () => {
  const call = await newCall()
  const ana = await org.person('supervisor')
  const act = (verb: string) => ana.client.post(`/v1/calls/${call}/verbs`, { verb })
  await act('takeover')
  const held = await stateOf(call)
  assert.deepEqual([held.state, held.held_by], ['held', ana.id])
  await act('release')
  const open = await stateOf(call)
  assert.deepEqual([open.state, open.held_by], ['open', null])
  await act('end')
  const { state, reason, started_at, ended_at } = await stateOf(call)
  assert.deepEqual([state, reason, ended_at >= started_at], ['ended', 'hangup', true])
})

test('a log longer than a page is read whole', async () => {
  const call = await newCall()
  const entries = Array.from({ length: 2500 }, (_, n) => ({ type: 'user.message', data: { text: `${n}` } }))
  await write(call, ...entries)
  const { turns } = await stateOf(call)
  assert.deepEqual(
    turns.map(({ text }: { text: string }) => Number(text)),
    entries.map((_, n) => n),
  )
})

test('usage keeps every amount that a vendor names', async () => {
  const call = await newCall()
  const data = {
    stage: 'llm',
    vendor: 'acme',
    model: 'big',
    key: 'yours',
    input_tokens: 3,
    reasoning_tokens: 9,
  }
  await write(call, { type: 'metrics', data: { ...data, credits: 0.125 } })
  assert.deepEqual((await stateOf(call)).usage, [
    {
      stage: 'llm',
      vendor: 'acme',
      model: 'big',
      key: 'yours',
      blocks: 1,
      amounts: { input_tokens: 3, reasoning_tokens: 9 },
      credits: 0.125,
    },
  ])
})

test('the summary of a call whose entries are gone still says how it ended', async () => {
  const call = await newCall()
  await write(call, { type: 'call.ended', data: { reason: 'timeout' } })
  await sql(`begin; set local switchroom.erasing = 'on'; delete from entries where log = '${call}'; commit`)
  const { state, reason, ended_at, turns } = await stateOf(call)
  assert.deepEqual([state, reason, ended_at > 0, turns], ['ended', 'timeout', true, []])
})

test('an unknown call, another org’s and the other environment’s are one 404; without `calls` it is 403 (ND-07)', async () => {
  const stranger = (await (await deployment.newOrg()).serverToken('sandbox')).client
  for (const call of ['nosuch', await newCall(live), await newCall(stranger)])
    refused(await client.get(`/v1/calls/${call}/state`), 404, `there is no call ${call}`)
  const app = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  const sentence = 'this key does not open calls: it opens app'
  refused(await app.get(`/v1/calls/${await newCall()}/state`), 403, sentence)
})
