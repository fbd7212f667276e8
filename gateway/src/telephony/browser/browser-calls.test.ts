import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { answeredSdp, answerOffer, Browser, takeOffer } from '../../../testing/http/browser.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, noLimit, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, anonymous } = deployment
const org = await deployment.newOrg()
const spokenAgent = new SpokenAgent(deployment, org, 'desk')
const app = await spokenAgent.holdingApp()
const token = await org.serverToken('sandbox', { scopes: ['talk'] })
const fleet = anonymous.as(fleetKey)

const open = async (more: object = {}) =>
  done(await token.client.post('/v1/tokens', { agent: 'desk', ...more }))
const headOf = async (call: string) =>
  (
    await sql('select channel, metadata, direction, ended_at, reason, beat_at from calls where id = $1', [
      call,
    ])
  ).rows[0]

test('a key that opens talk opens a call for a browser, of which only the digest of its token is kept', async () => {
  const opened = await open({ metadata: { page: 'prices' } })
  assert.deepEqual(Object.keys(opened), [
    'call',
    'server_url',
    'participant_token',
    'expires_at',
    'ice_servers',
  ])
  assert.match(opened.call, /^call_[0-9a-f]{24}$/)
  assert.equal(opened.server_url, 'https://switchroom.test/v1/rtc')
  assert.match(opened.participant_token, /^pt_[\w-]{43}$/)
  assert.ok(Math.abs(opened.expires_at - clock.now().getTime() / 1000 - 60) < 5)
  const head = await headOf(opened.call)
  assert.deepEqual(
    [head.channel, head.metadata, head.direction, head.ended_at, head.beat_at],
    ['web', { page: 'prices' }, 'inbound', null, null],
  )
  assert.deepEqual(await entriesOf(deployment, opened.call), [])
  const { rows } = await sql('select * from browser_calls where call = $1', [opened.call])
  assert.ok(!JSON.stringify(rows).includes(opened.participant_token))
  assert.ok(!deployment.log().includes(opened.participant_token))
  assert.deepEqual(opened.ice_servers, [])
  const brief = await open({ ttl_s: 600 })
  assert.ok(Math.abs(brief.expires_at - clock.now().getTime() / 1000 - 600) < 5)
})

test('the metadata of a token is bounded as that of a dial, and the agent gets it well formed', async () => {
  const metadata = { name: 'Ana', order: { id: 42 }, odd: 'a\ud800' }
  const { call } = await open({ metadata })
  assert.deepEqual((await headOf(call)).metadata, { ...metadata, odd: 'a\ufffd' })
  const fits = { long: 'x'.repeat(4096 - '{"long":""}'.length) }
  await open({ metadata: fits })
  const refuses = async (given: object, detail: string) => {
    const answer = await token.client.post('/v1/tokens', { agent: 'desk', metadata: given })
    refused(answer, 400, detail)
    assert.equal(answer.body.code, 'BAD_REQUEST')
  }
  await refuses({ long: `${fits.long}x` }, 'metadata is at most 4096 bytes of JSON')
  await refuses({ long: '語'.repeat(1400) }, 'metadata is at most 4096 bytes of JSON')
  await refuses({ nul: 'a\u0000b' }, 'a NUL character cannot be kept: leave it out')
})

test('a token is refused to keys that do not talk, for agents that no app holds or that are not theirs', async () => {
  const tokens = (client = token.client, body: object = { agent: 'desk' }) => client.post('/v1/tokens', body)
  const calls = await org.serverToken('sandbox', { scopes: ['calls'] })
  refused(await tokens(calls.client), 403, 'this key does not open talk: it opens calls')
  refused(
    await tokens(token.client, { agent: 'nobodys' }),
    409,
    'no app holds nobodys in sandbox: connect one, and call again',
  )
  refused(await tokens(token.client, { agent: 'No One' }), 404, 'there is no agent No One')
  const narrowed = await org.person('manager', { agents: ['sales'] })
  refused(await tokens(narrowed.client), 403, 'this key works on sales alone')
  refused(await tokens(narrowed.client, { agent: 'nobodys' }), 403, 'this key works on sales alone')
  const elsewhere = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['talk'] })
  refused(await tokens(elsewhere.client), 409, 'no app holds desk in sandbox: connect one, and call again')
  for (const [ttl_s, status] of [
    [0, 400],
    [601, 400],
    [1.5, 422],
  ])
    assert.equal((await tokens(token.client, { agent: 'desk', ttl_s })).status, status)
  assert.equal((await tokens(token.client, { agent: 'desk', metadata: 'x' })).status, 422)
})

test("a token past the org's calls at once is refused, and the last call is one browser's", async () => {
  const full = await deployment.newOrg()
  const agent = new SpokenAgent(deployment, full, 'desk')
  await agent.holdingApp()
  const { client } = await full.serverToken('sandbox', { scopes: ['talk'] })
  await deployment.operator.put(`/v1/ops/orgs/${full.slug}/quotas`, { ...noLimit, concurrent_calls: 1 })
  const opened = await Promise.all(
    [1, 2].map(async () => done(await client.post('/v1/tokens', { agent: 'desk' }))),
  )
  const taken = await Promise.all(
    opened.map(({ call }) => fleet.post('/v1/worker/calls', { call, worker: `w-${call}` })),
  )
  assert.deepEqual(
    taken.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 429],
  )
  const sentence = `org ${full.slug} runs 1 of its 1 calls at once: wait until one ends, or ask the operator for more`
  refused(await client.post('/v1/tokens', { agent: 'desk' }), 429, sentence)
})

test('a call whose token is never used ends as no_answer half a minute after it expired, once, and its token opens nothing', async () => {
  await using other = await deployment.another()
  const opened = await open({ ttl_s: 30 })
  const browser = new Browser(anonymous, opened)
  clock.forward(30 * secondMs)
  other.clock.forward(30 * secondMs)
  refused(await browser.offer(), 401, 'this token opens no call: it is unknown, used or over')
  const poll = () =>
    Promise.all([deployment, other].map(({ gateway }) => gateway.services.browserCalls.poll()))
  await poll()
  assert.equal((await headOf(opened.call)).ended_at, null)
  for (const { clock: each } of [deployment, other]) each.forward(30 * secondMs)
  await poll()
  assert.equal((await headOf(opened.call)).reason, 'no_answer')
  const entries = await entriesOf(deployment, opened.call)
  assert.deepEqual(
    entries.map(({ type, data }) => [type, data]),
    [['call.ended', { reason: 'no_answer' }]],
  )
  refused(await fleet.post('/v1/worker/calls', { call: opened.call }), 409, 'this call has ended')
})

test('a call that a worker took just before it expired is not ended', async () => {
  const opened = await open({ ttl_s: 60 })
  const offered = new Browser(anonymous, opened).offer()
  assert.equal((await takeOffer(fleet, 'w1')).call, opened.call)
  done(await fleet.post('/v1/worker/calls', { call: opened.call, worker: 'w1' }))
  assert.equal((await answerOffer(fleet, opened.call, 'w1')).status, 204)
  assert.equal((await offered).body.sdp, answeredSdp)
  clock.forward(61 * secondMs)
  await deployment.gateway.services.browserCalls.poll()
  assert.equal((await headOf(opened.call)).ended_at, null)
  const { data } = await until('the app gets it', () =>
    app.frames.find(({ type, call }) => type === 'call.started' && call === opened.call),
  )
  assert.equal(data.call.transport, 'webrtc')
})

test("with a media server the token is a room's, to which the environment's fleet is sent with the call", async () => {
  const fake = await LiveKitFake.start()
  const { url, key, secret } = fake.address
  await using other = await deployment.another({
    SVC_MEDIA_URL: url,
    SVC_MEDIA_KEY: key,
    SVC_MEDIA_SECRET: secret,
    SVC_SANDBOX_FLEET: 'night-shift',
  })
  const asked = await other.anonymous.as(token.key).post('/v1/tokens', { agent: 'desk', ttl_s: 90 })
  const { call, server_url, participant_token } = done(asked)
  assert.equal(server_url, url.replace('http', 'ws'))
  const [, claims = ''] = participant_token.split('.')
  const { video, roomConfig, exp, nbf } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  assert.deepEqual([video.room, video.roomJoin], [`call-${call}`, true])
  assert.equal(exp - nbf, 90)
  const [{ agentName, metadata }] = roomConfig.agents
  assert.equal(agentName, 'night-shift')
  assert.deepEqual(JSON.parse(metadata), { call, org: org.id, agent: 'desk', env: 'sandbox' })
  refused(
    await new Browser(anonymous, { call, participant_token }).offer(),
    401,
    'this token opens no call: it is unknown, used or over',
  )
  await fake.stop()
})

test('a token comes with the STUN and TURN servers of the deployment, with a password of a day for its call', async () => {
  await using other = await deployment.another({
    SVC_STUN_URLS: 'stun:stun.example.com:3478',
    SVC_TURN_URLS: 'turn:turn.example.com?transport=udp, turns:turn.example.com:443?transport=tcp',
    SVC_TURN_SECRET: 'north',
  })
  const { call, ice_servers } = done(
    await other.anonymous.as(token.key).post('/v1/tokens', { agent: 'desk' }),
  )
  const expires = Math.floor(other.clock.now().getTime() / 1_000) + 86_400
  const [stun, turn] = ice_servers
  assert.deepEqual(stun, { urls: ['stun:stun.example.com:3478'] })
  assert.deepEqual(turn.urls, [
    'turn:turn.example.com?transport=udp',
    'turns:turn.example.com:443?transport=tcp',
  ])
  const [lasts = '', whose] = turn.username.split(':')
  assert.equal(whose, call)
  assert.ok(Math.abs(Number(lasts) - expires) < 30)
  assert.equal(turn.credential, createHmac('sha1', 'north').update(turn.username).digest('base64'))
})

test('a TURN server with one password for all gets that', async () => {
  await using other = await deployment.another({
    SVC_TURN_URLS: 'turn:[2001:db8::1]:3478',
    SVC_TURN_USERNAME: 'pages',
    SVC_TURN_PASSWORD: 'south',
  })
  const { ice_servers } = done(await other.anonymous.as(token.key).post('/v1/tokens', { agent: 'desk' }))
  assert.deepEqual(ice_servers, [
    { urls: ['turn:[2001:db8::1]:3478'], username: 'pages', credential: 'south' },
  ])
})

test('what is kept of a browser’s call is forgotten once the call is over', async () => {
  const opened = await open()
  done(await token.client.post(`/v1/calls/${opened.call}/verbs`, { verb: 'end' }))
  const waiting = await open({ ttl_s: 600 })
  clock.forward(3662 * secondMs)
  await deployment.gateway.services.browserCalls.deleteExpired()
  const { rows } = await sql('select call from browser_calls where call = any($1)', [
    [opened.call, waiting.call],
  ])
  assert.deepEqual(rows, [{ call: waiting.call }])
})
