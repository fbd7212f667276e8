import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const org = await deployment.newOrg()
const desk = new SpokenAgent(deployment, org, 'desk')
await desk.holdingApp()
const fleet = desk.fleet.with({ 'svc-org': org.slug })

const ask = (more: object = {}, client = fleet) =>
  client.post('/v1/worker/calls', { agent: 'desk', from: 'sip:me@127.0.0.1', worker: 'w1', ...more })

test('a phone on the worker’s own machine calls an agent by name, in the sandbox if no environment is named', async () => {
  const answer = await ask()
  const { call } = done(answer)
  assert.deepEqual(answer.body, { call, org: org.id, env: 'sandbox', agent: 'desk', line: null })
  const { rows } = await sql('select channel, caller, called, contact, worker from calls where id = $1', [
    call,
  ])
  assert.deepEqual(rows, [
    { channel: 'phone', caller: 'sip:me@127.0.0.1', called: null, contact: null, worker: 'w1' },
  ])
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
  await desk.holdingApp('production')
  assert.equal(done(await ask({}, fleet.in('production'))).env, 'production')
})

test('a worker that names an agent without an app, no org, or both an agent and a number is refused', async () => {
  refused(
    await ask({ agent: 'nobodys' }),
    409,
    'no app holds nobodys in sandbox: connect one, and call again',
  )
  refused(await ask({ agent: 'No One' }), 404, 'there is no agent No One')
  refused(await ask({}, desk.fleet), 400, 'name the org in the header svc-org')
  refused(
    await ask({ number: '+15550001111' }),
    400,
    'name the number that was called or the agent, one of them',
  )
  refused(await ask({}, desk.fleet.with({ 'svc-org': 'none' })), 404, 'there is no org none')
})

test('a worker that names the call opens it once, however often it asks, and for one agent', async () => {
  await new SpokenAgent(deployment, org, 'sales').holdingApp()
  const answers = await Promise.all([1, 2, 3].map(() => ask({ call: 'wk-1' })))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.call]),
    [1, 2, 3].map(() => [201, 'wk-1']),
  )
  assert.equal((await entriesOf(deployment, 'wk-1')).length, 1)
  refused(await ask({ call: 'wk-1', agent: 'sales' }), 409, 'there is a call wk-1 already')
  refused(await ask({ call: 'wk-1', worker: 'w2' }), 409, 'there is a call wk-1 already')
})

test("a call by name counts against the org's calls at once, and one past every worker is called back (ND-96)", async () => {
  const full = await deployment.newOrg()
  await new SpokenAgent(deployment, full, 'desk').holdingApp()
  await deployment.operator.put(`/v1/ops/orgs/${full.slug}/quotas`, { ...noLimit, concurrent_calls: 0 })
  const theirs = desk.fleet.with({ 'svc-org': full.slug })
  refused(
    await ask({}, theirs),
    429,
    `org ${full.slug} runs 0 of its 0 calls at once: wait until one ends, or ask the operator for more`,
  )
  const { call } = done(await ask({ overflow: true, from: '+15559990000' }, theirs))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), [
    'call.started',
    'callback.requested',
    'call.ended',
  ])
})

test('an agent without a key for one of its vendors gets no call, and its app reads why when it registers it', async () => {
  const mute = new TestAgent((await org.serverToken('sandbox')).client)
  await mute.keepUnjudged(deployment, { stt: 'deepgram/nova-3', tts: 'cartesia' })
  const app = await AppClient.connect(deployment.url, (await org.serverToken('sandbox')).key)
  after(() => app.close())
  const { warnings } = await app.register(mute.slug)
  const keys = 'deepgram (stt) and cartesia (tts)'
  assert.deepEqual(warnings, [
    `no spoken call reaches this agent: there is no key for ${keys}; add one, or choose another vendor`,
  ])
  refused(
    await ask({ agent: mute.slug, call: 'mute-1' }),
    409,
    `${mute.slug} has no key for ${keys}: add one, or choose another vendor`,
  )
  assert.deepEqual((await sql("select id from calls where id = 'mute-1'")).rows, [])
  const admin = (await org.person('admin')).client
  for (const vendor of ['deepgram', 'cartesia'])
    done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))
  done(await ask({ agent: mute.slug, call: 'mute-1' }))
  assert.equal('warnings' in (await app.register(mute.slug)), false)
})

test('an app reads when it registers an agent whose vendors do not know its language', async () => {
  const app = await AppClient.connect(deployment.url, (await org.serverToken('sandbox')).key)
  after(() => app.close())
  const { warnings } = await app.register('carioca', { declares: { language: 'pt-BR' } })
  assert.deepEqual(warnings, ['local/moonshine-tiny understands en, not pt-BR: choose another `stt`'])
})
