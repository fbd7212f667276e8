import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { statement } from '../../database/database.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const tools = [{ name: 'time', description: 'the time', parameters: { type: 'object' } }]
const offer = { prompt: 'You answer the phone.', tools, analysis: { send_audio_metrics: true } }
const app = await desk.holdingApp('sandbox', offer)

const insertAssignment = statement(`
  insert into driven_calls (call, org, env, agent, holder)
  select id, org, env, agent, holder from calls where id = $1`)

const ask = (call: string, client = desk.fleet) => client.get(`/v1/calls/${call}/instructions`)

test("a worker receives what the agent's app brings, the Call, and what is known of the contact", async () => {
  await sql(
    `insert into memories (org, env, agent, contact, id, text, learned_at)
     values ($1, 'sandbox', 'desk', '+15559990000', 'mem_1', 'Likes rye.', now())`,
    [org.id],
  )
  const call = await desk.open({ extension: '7' })
  const { call: told, ...rest } = done(await ask(call))
  assert.deepEqual(rest, {
    prompt: 'You answer the phone.',
    tools,
    contact: '+15559990000',
    facts: [{ id: 'mem_1', text: 'Likes rye.' }],
    send_audio_metrics: true,
  })
  const { data } = await until('the app receives the event', () =>
    app.frames.find((frame) => frame.type === 'call.started' && frame.call === call),
  )
  assert.deepEqual(told, data.call)
})

test('a worker that asks while another request is assigning the call to its app receives the instructions too', async () => {
  const call = await desk.open()
  await until('the call is assigned', async () => (await ask(call)).status === 200)
  await sql('delete from driven_calls where call = $1', [call])
  const asked = await deployment.gateway.services.database.transaction(async (tx) => {
    await tx.rows(insertAssignment, call)
    const asking = ask(call)
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the request waits for this one', async () => ((await sql(waits)).rowCount ?? 0) > 0)
    return { asking }
  })
  assert.equal((await asked.asking).status, 200)
})

test('a caller without a number is no contact, and no facts are known of them', async () => {
  const { contact, facts } = done(await ask(await desk.open({ from: 'anonymous' })))
  assert.deepEqual([contact, facts], [null, []])
})

test('a call of another org, one that does not exist and a written one have no instructions', async () => {
  const call = await desk.open()
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  refused(await ask(call, stranger.client), 404, `there is no call ${call}`)
  refused(await ask('call_none'), 404, 'there is no call call_none')
  const { client } = await org.serverToken('sandbox')
  const written = done(await client.post('/v1/calls', { agent: 'desk', channel: 'chat' })).call
  refused(await ask(written), 409, `call ${written} is a written one, and no worker runs those`)
  assert.equal((await ask(call, client)).status, 200)
})

test('while no app holds the agent the worker is asked to retry, and the next app’s words count then', async () => {
  const lone = await new SpokenAgent(deployment, org, 'lone').route()
  const first = await lone.holdingApp('sandbox', { prompt: 'The first.' })
  const call = await lone.open()
  assert.equal(done(await ask(call)).prompt, 'The first.')
  await first.close()
  const sentence = 'no app holds lone in sandbox at the moment: connect one, and try again'
  await until('the app is gone', async () => (await ask(call)).status === 503)
  refused(await ask(call), 503, sentence)
  await lone.holdingApp('sandbox', { prompt: 'The second.' })
  await until('the next one drives', async () => (await ask(call)).body.prompt === 'The second.')
})

test('after a hand-over the instructions are the other agent’s', async () => {
  const { key } = await org.serverToken('sandbox')
  const phone = await new SpokenAgent(deployment, org, 'front').route()
  const line = await AppClient.connect(deployment.url, key)
  await line.ask({ type: 'line.register', number: phone.number })
  await line.register('sales', { prompt: 'You sell bread.', tools })
  const call = await phone.open()
  await until('the line has it', () =>
    line.frames.find((frame) => frame.type === 'call' && frame.call === call),
  )
  assert.deepEqual([done(await ask(call)).prompt, done(await ask(call)).call.agent], [null, 'front'])
  line.send({ type: 'call.route', call, agent: 'sales' })
  await until('it is handed over', () =>
    line.frames.find((frame) => frame.type === 'call.routed' && frame.call === call),
  )
  const { prompt, tools: brought, call: told } = done(await ask(call))
  assert.deepEqual(
    [prompt, brought, told.agent, told.routedFrom],
    ['You sell bread.', tools, 'sales', phone.number],
  )
})
