import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit, type Deployment } from '../../../testing/deployment.ts'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { until } from '../../../testing/until.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const chatting = await startChatDeployment()
after(() => chatting[Symbol.asyncDispose]())
const { deployment } = chatting
const other = await deployment.another()
const gateways = [deployment, other] as const
const { operator, sql } = deployment

const capOrg = async (slug: string, caps: object) =>
  done(await operator.put(`/v1/ops/orgs/${slug}/quotas`, { ...noLimit, ...caps })).caps

/** A stream of the org's relay, or the status of its refusal. */
async function stream({ url }: { url: string }, key: string): Promise<AbortController | Response> {
  const abort = new AbortController()
  const answer = await fetch(`${url}/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: abort.signal,
  })
  return answer.status === 200 ? abort : answer
}
const isOpen = (opened: AbortController | Response): opened is AbortController =>
  opened instanceof AbortController
const openOf = async (owner: string) =>
  (await sql('select count(*)::int as count from open_connections where owner = $1', [owner])).rows[0].count

/** So many at the same time, by turns at either gateway. */
const atOnce = <Opened>(count: number, open: (at: Deployment, n: number) => Promise<Opened>) =>
  Promise.all(Array.from({ length: count }, (_, n) => open(gateways[n % 2] ?? deployment, n)))

test('a key opens 100 event streams over all gateways and no more, also concurrently', async () => {
  const org = await deployment.newOrg()
  const { key, key_id } = await org.serverToken('sandbox', { scopes: ['calls'] })
  const opened = await atOnce(108, (at) => stream(at, key))
  const streams = opened.filter(isOpen)
  assert.equal(streams.length, 100)
  const sentence =
    'the key ci has 100 event streams open, the most that a key may have: close one, or ask the operator for more'
  for (const answer of opened)
    if (!isOpen(answer)) {
      assert.equal(answer.status, 429)
      assert.deepEqual(await answer.json(), { detail: sentence, code: 'QUOTA_EXCEEDED' })
    }
  const second = await org.serverToken('sandbox', { scopes: ['calls'] })
  const ofSecond = await stream(deployment, second.key)
  assert.ok(isOpen(ofSecond), 'another key has streams of its own')

  streams[0]?.abort()
  await until('one is closed', async () => (await openOf(key_id)) === 99)
  const again = await stream(other, key)
  assert.ok(isOpen(again))
  for (const each of [...streams, again, ofSecond]) each.abort()
  await until('all are closed', async () => (await openOf(key_id)) === 0)
})

test("the stream of a call's and of an agent's log counts as one, and a page of it does not", async () => {
  const org = await deployment.newOrg()
  await capOrg(org.slug, { event_streams: 1 })
  const { key, client } = await org.serverToken('sandbox')
  const { call } = done(await client.post('/v1/calls', { agent: 'desk', channel: 'chat' }))
  const authorization = `Bearer ${key}`
  const first = await EventReader.open(`${deployment.url}/v1/calls/${call}/events`, { authorization })
  for (const path of [`/v1/calls/${call}/events`, '/v1/agents/desk/events', '/v1/events'])
    refused(
      await other.anonymous.as(key).raw(path, { headers: { accept: 'text/event-stream' } }),
      429,
      /^the key ci has 1 event streams open/,
    )
  assert.equal((await client.get(`/v1/calls/${call}/events`)).status, 200)
  first[Symbol.dispose]()
})

test('what a gateway held open that died counts no more', async () => {
  const org = await deployment.newOrg()
  await capOrg(org.slug, { event_streams: 2, app_sockets: 1 })
  const { key } = await org.serverToken('sandbox')
  await using doomed = await GatewayProcess.start(deployment, {})
  for (let n = 0; n < 2; n += 1) assert.ok(isOpen(await stream(doomed, key)))
  const app = await AppClient.connect(doomed.url, key)
  app.socket.on('error', () => {})
  await app.register('desk')
  assert.ok(!isOpen(await stream(deployment, key)))
  await doomed.kill()
  await until('its streams are forgotten', async () => isOpen(await stream(deployment, key)))
  await until('its apps are forgotten', async () => {
    const again = await AppClient.connect(deployment.url, key)
    return (
      (await Promise.race([again.register('desk'), again.closed.then(() => null)]))?.type ===
      'agent.registered'
    )
  })
})

test('an org has 100 app sockets open over all gateways and no more, also concurrently', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox')
  const apps = await atOnce(104, (at) => AppClient.connect(at.url, key))
  const count = async () =>
    (await sql('select count(*)::int as count from app_sockets where org = $1', [org.id])).rows[0].count
  await until('all but the last four are listed', async () => (await count()) === 100)
  const closed = () => apps.filter(({ socket }) => socket.readyState === socket.CLOSED)
  await until('the last four are sent away', () => closed().length === 4)
  for (const app of closed())
    assert.deepEqual(await app.closed, [
      1013,
      `org ${org.slug} has 100 app sockets open, its most: close one, or ask the operator`,
    ])
  assert.equal(await count(), 100)
  const listed = (await deployment.anonymous.as(key).get('/v1/apps')).body.apps
  assert.equal(listed.length, 100)
  await capOrg(org.slug, { app_sockets: 101 })
  const one = await AppClient.connect(other.url, key)
  assert.equal((await one.register('desk')).type, 'agent.registered')
  for (const app of [...apps, one]) app.socket.terminate()
})

test('an org has as many chats open as its cap says, over all gateways and concurrently', async () => {
  const { org, key } = chatting
  const agent = await chatting.newAgent()
  await capOrg(org.slug, { chats: 5 })
  const ask = ({ url }: { url: string }, call?: string) =>
    ChatClient.ask(url, key, { agent: agent.slug, ...(call !== undefined && { call, after: '0' }) })
  const isChat = (asked: Awaited<ReturnType<typeof ask>>): asked is ChatClient => asked instanceof ChatClient
  const asked = await atOnce(9, (at) => ask(at))
  const chats = asked.filter(isChat)
  assert.equal(chats.length, 5)
  const sentence = `org ${org.slug} has 5 chats open, its most: end one, or ask the operator for more`
  for (const answer of asked)
    if (!isChat(answer)) assert.deepEqual([answer.status, JSON.parse(answer.text).detail], [429, sentence])

  const frames = await Promise.all(chats.map((chat) => chat.next('started')))
  const calls = frames.map(({ call }) => call)
  const further = await ask(other, calls[0])
  assert.ok(!isChat(further) && further.status === 429, 'a further client of the same chat counts as well')

  for (const chat of chats) chat.socket.terminate() // the calls continue: their clients may come back
  await until('no client is there', async () => (await openOf(org.id)) === 0)
  const renewed = await ask(deployment)
  assert.ok(!isChat(renewed) && renewed.status === 429, 'a chat without a client is still open')
  const back = await ask(other, calls[1])
  assert.ok(isChat(back))
  back.send({ type: 'end' })
  await until('it has ended', async () => {
    const { rows } = await sql('select state from calls where id = $1', [calls[1]])
    return rows[0].state === 'ended'
  })
  const next = await ask(deployment)
  assert.ok(isChat(next))
  for (const chat of [back, next]) chat.socket.terminate()
})
