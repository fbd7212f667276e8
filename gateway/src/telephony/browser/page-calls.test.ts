import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import { answerOffer, Browser, takeOffer } from '../../../testing/http/browser.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment({ SVC_STUN_URLS: 'stun:stun.example.com:3478' })
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, anonymous } = deployment
const org = await deployment.newOrg()
await new SpokenAgent(deployment, org, 'desk').holdingApp()
const { client } = await org.serverToken('sandbox', { scopes: ['talk'] })
const fleet = anonymous.as(fleetKey)
const opensNothing = 'this token opens no call: it is unknown, used or over'

const open = async () => new Browser(anonymous, done(await client.post('/v1/tokens', { agent: 'desk' })))

/** A call that a worker runs. */
async function running() {
  const page = await open()
  const offered = page.offer()
  assert.equal((await takeOffer(fleet, 'w1')).call, page.call)
  done(await fleet.post('/v1/worker/calls', { call: page.call, worker: 'w1' }))
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  assert.equal((await offered).status, 201)
  const append = async (...entries: object[]) =>
    done(await fleet.post(`/v1/calls/${page.call}/events`, { entries }))
  return { call: page.call, token: page.token, append }
}

const read = (url: string, token: string, more: Record<string, string> = {}) =>
  EventReader.open(`${url}/v1/rtc/events`, { authorization: `Bearer ${token}`, ...more })

const hangUp = (site: Client, token: string) =>
  site.raw('/v1/rtc/hangup', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: token })

const requestsOf = async (call: string) =>
  (await entriesOf(deployment, call)).filter(({ type }) => type === 'hangup.requested')

test('a page learns with its token where it connects, from any origin and at any gateway', async () => {
  const { call, token } = await open()
  const about = await other.anonymous.as(token).get('/v1/rtc')
  assert.equal(about.headers.get('access-control-allow-origin'), '*')
  const { ice_servers, ...where } = done(await anonymous.as(token).get('/v1/rtc'))
  assert.deepEqual(where, { call, agent: 'desk', server_url: 'https://switchroom.test/v1/rtc' })
  assert.deepEqual(ice_servers, [{ urls: ['stun:stun.example.com:3478'] }])
  const asked = await anonymous.send('OPTIONS', '/v1/rtc/events')
  assert.deepEqual(
    [asked.status, asked.headers.get('access-control-allow-headers')],
    [204, 'authorization, content-type, last-event-id'],
  )
})

test('a page reads what is said and whose turn it is, as it happens and at any gateway, and no tools, costs or probabilities', async () => {
  const { call, token, append } = await running()
  using reader = await read(other.url, token)
  assert.equal(reader.headers['access-control-allow-origin'], '*')
  await reader.came('log.caught_up')
  await append(
    { type: 'user.speaking', data: { text: 'What time' } },
    { type: 'user.message', data: { text: 'What time is it?', messageId: 'm1', sttMs: 12 } },
    { type: 'turn.end', data: { text: 'What time is it?', probability: 0.9 } },
    { type: 'metrics', data: { llm: 'secret' } },
    { type: 'bot.speaking', data: { messageId: 'm2', text: 'It is noon, and more that was never said.' } },
    { type: 'bot.word', data: { messageId: 'm2', word: 'It' } },
    { type: 'agent.message', data: { text: 'It is noon.', messageId: 'm2', source: 'model' } },
    { type: 'call.ended', data: { reason: 'hangup' } },
  )
  await reader.ended()
  const shown = reader.events.filter(({ event }) => !event?.startsWith('log.'))
  const contents = (isKept: boolean) =>
    shown.filter(({ id }) => (id !== undefined) === isKept).map(({ data }) => [data.type, data.data])
  assert.deepEqual(contents(true), [
    ['call.started', {}],
    ['user.message', { messageId: 'm1', text: 'What time is it?' }],
    ['turn.end', {}],
    ['bot.speaking', { messageId: 'm2' }],
    ['agent.message', { messageId: 'm2', text: 'It is noon.' }],
    ['call.ended', { reason: 'hangup' }],
  ])
  // what is only seen live may overtake what another gateway has to read first
  assert.deepEqual(contents(false), [
    ['user.speaking', { text: 'What time' }],
    ['bot.word', { messageId: 'm2', word: 'It' }],
  ])
  assert.deepEqual(Object.keys(shown[0]?.data), ['type', 'ts', 'data'])

  const last = shown.findLast(({ event }) => event === 'user.message')?.id ?? ''
  using resumed = await read(deployment.url, token, { 'last-event-id': last })
  await resumed.ended()
  assert.deepEqual(
    resumed.types.filter((type) => !type?.startsWith('log.')),
    ['turn.end', 'bot.speaking', 'agent.message', 'call.ended'],
  )
  refused(await anonymous.as(token).get('/v1/rtc'), 401, opensNothing)
  assert.equal(call.length, 29)
})

test('a participant token opens its own call in the page and no other route, and no key is a participant token', async () => {
  const { call, token } = await running()
  const page = anonymous.as(token)
  refused(await page.get(`/v1/calls/${call}/events`), 401, 'this key opens nothing')
  refused(
    await anonymous.get(`/v1/calls/${call}/events?token=${token}`),
    401,
    'this token opens nothing here',
  )
  refused(await page.get('/v1/whoami'), 401, 'this key opens nothing')
  refused(await page.post('/v1/tokens', { agent: 'desk' }), 401, 'this key opens nothing')
  const strangers = [(await org.serverToken('sandbox', { scopes: ['talk'] })).key, 'pt_invented', 'a.b.c']
  for (const stranger of strangers) {
    refused(await anonymous.as(stranger).get('/v1/rtc'), 401, opensNothing)
    refused(await anonymous.as(stranger).get('/v1/rtc/events'), 401, opensNothing)
    refused(await hangUp(anonymous, stranger), 401, opensNothing)
  }
  refused(await anonymous.get('/v1/rtc'), 401, "this door takes a call's participant token")
  refused(await anonymous.get('/v1/rtc/events'), 401, "this door takes a call's participant token")
  refused(
    await page.with({ 'last-event-id': 'x' }).get('/v1/rtc/events'),
    422,
    'last-event-id: must be a whole number from 0 to 2147483647',
  )
})

test('a page that is closed asks the worker to hang up, a few times at most, at two gateways at once', async () => {
  const { call, token } = await running()
  const asked = await Promise.all(
    Array.from({ length: 10 }, (_, i) => hangUp(i % 2 ? anonymous : other.anonymous, token)),
  )
  for (const { status } of asked) assert.equal(status, 204)
  assert.equal((await requestsOf(call)).length, 3)
  const { rows } = await sql('select ended_at from calls where id = $1', [call])
  assert.deepEqual(rows, [{ ended_at: null }])
})

test('a page that is closed before a worker answered ends its call as hangup, once at two gateways', async () => {
  const { call, token } = await open()
  await Promise.all([hangUp(anonymous, token), hangUp(other.anonymous, token)])
  await until('it has ended', async () => {
    const { rows } = await sql('select reason from calls where id = $1', [call])
    return rows[0].reason === 'hangup'
  })
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(
    entries.map(({ type, data }) => [type, data]),
    [['call.ended', { reason: 'hangup' }]],
  )
  assert.equal((await hangUp(anonymous, token)).status, 204)
})

test("a LiveKit ticket of ours is its call's participant token; one of another key, or a worker's, is none", async () => {
  const fake = await LiveKitFake.start()
  const { url, key, secret } = fake.address
  const settings = { SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret }
  await using rooms = await deployment.another(settings)
  const site = rooms.anonymous
  const { key: talk } = await org.serverToken('sandbox', { scopes: ['talk'] })
  const { call, participant_token } = done(await site.as(talk).post('/v1/tokens', { agent: 'desk' }))
  assert.deepEqual(done(await site.as(participant_token).get('/v1/rtc')), {
    call,
    agent: 'desk',
    server_url: url.replace('http', 'ws'),
    ice_servers: [],
  })
  using reader = await read(rooms.url, participant_token)
  await reader.came('log.caught_up')
  refused(await anonymous.as(participant_token).get('/v1/rtc'), 401, opensNothing)
  const [head = '', claims = ''] = participant_token.split('.')
  refused(await site.as(`${head}.${claims}.invented`).get('/v1/rtc'), 401, opensNothing)
  const { workerToken } = await import('@switchroom/media/livekit/tickets')
  refused(await site.as(await workerToken(fake.address, `call-${call}`)).get('/v1/rtc'), 401, opensNothing)
  assert.equal((await hangUp(site, participant_token)).status, 204)
  await reader.ended()
  assert.deepEqual(reader.find('call.ended')?.data.data, { reason: 'hangup' })
  await fake.stop()
})
