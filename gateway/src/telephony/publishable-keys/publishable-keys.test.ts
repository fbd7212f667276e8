import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PublishableKey } from '@switchroom/contract/publishable-keys'
import { AuditTrail } from '../../../testing/audit/audit-trail.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'
import { hourMs, minuteMs } from '../../foundation/clock.ts'

const deployment = await startDeployment({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
const { anonymous, clock, sql } = deployment
const org = await deployment.newOrg()
await new SpokenAgent(deployment, org, 'desk').holdingApp()
await new SpokenAgent(deployment, org, 'sales').holdingApp()
const developer = await org.person('developer')
const shop = 'https://shop.example'

const make = (more: object = {}, client: Client = developer.client) =>
  client.post('/v1/publishable-keys', {
    label: 'shop',
    agent: 'desk',
    env: 'sandbox',
    origins: [shop],
    ...more,
  })
const made = async (more: object = {}): Promise<PublishableKey> => done(await make(more))

let visitors = 0
const newAddress = () => `203.0.113.${(visitors += 1)}`

/** A visitor's browser on a page. */
const visitor = (key: string, origin: string | null = shop, at = anonymous, address = newAddress()) => {
  const client = at.as(key).with({ 'x-forwarded-for': address })
  return origin === null ? client : client.with({ origin })
}
const open = (client: Client, body: object = {}) => client.post('/v1/page/tokens', body)

test('a page opens calls with its publishable key, and its browser may read the answer', async () => {
  const { key, id } = await made()
  assert.match(key, /^pk_[\w-]{43}$/)
  const opened = await open(visitor(key), { page: { path: '/prices' } })
  assert.deepEqual(
    [opened.headers.get('access-control-allow-origin'), opened.headers.get('vary')],
    [shop, 'origin'],
  )
  const { call, agent, token } = done(opened)
  assert.deepEqual([agent, token.slice(0, 3)], ['desk', 'pt_'])
  const { rows } = await sql('select org, env, agent, channel, metadata from calls where id = $1', [call])
  assert.deepEqual(rows, [
    {
      org: org.id,
      env: 'sandbox',
      agent: 'desk',
      channel: 'web',
      metadata: { publishable_key: id, origin: shop, page: { path: '/prices' } },
    },
  ])
  assert.equal(done(await other.anonymous.as(token).get('/v1/rtc')).call, call)
  const asked = await visitor(key).raw('/v1/page/tokens', {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST' },
  })
  assert.deepEqual(
    [
      asked.status,
      asked.headers.get('access-control-allow-origin'),
      asked.headers.get('access-control-allow-methods'),
    ],
    [204, shop, 'POST'],
  )
})

test('a publishable key opens nothing from another origin, without one, for another agent, or with an invented or a secret key', async () => {
  const { key } = await made()
  for (const origin of [
    'https://evil.example',
    'null',
    `${shop}.evil.example`,
    'http://shop.example',
    `${shop}:8443`,
  ])
    refused(
      await open(visitor(key, origin)),
      403,
      `this publishable key is not for pages of ${origin}: make one whose origins name it`,
    )
  refused(
    await open(visitor(key, null)),
    403,
    'a publishable key works in web pages alone: this request names no origin',
  )
  refused(await open(visitor(key), { agent: 'sales' }), 403, 'this publishable key is for desk alone')
  assert.equal(done(await open(visitor(key), { agent: 'desk' })).agent, 'desk')
  refused(await open(visitor('pk_invented')), 401, 'this key opens nothing')
  refused(await open(visitor(developer.key)), 401, 'this door takes a publishable key')
  refused(await open(anonymous.with({ origin: shop })), 401, 'this door takes a publishable key')
  const long = { page: { text: 'x'.repeat(2000) } }
  refused(await open(visitor(key), long), 400, 'page is at most 2000 bytes of JSON: tell the agent less')
})

test('a publishable key is refused on every other route of the gateway', async () => {
  const { key } = await made()
  const client = visitor(key).with({ accept: 'application/json' })
  const own = new Set(['OPTIONS /v1/page/tokens', 'POST /v1/page/tokens'])
  let tried = 0
  for (const { method, path, access } of deployment.gateway.server.routes.all) {
    if (method === 'HEAD' || access.kind === 'open' || own.has(`${method} ${path}`)) continue
    const answer = await client.send(
      method,
      path.replace(/:\w+/g, 'desk').replace('*', 'x'),
      method === 'GET' || method === 'DELETE' ? undefined : {},
    )
    assert.ok(
      [401, 403, 404].includes(answer.status),
      `${method} ${path} answered ${answer.status} ${answer.text}`,
    )
    if (access.kind !== 'signUp' && access.kind !== 'operator')
      assert.equal(answer.status, 401, `${method} ${path}`)
    tried += 1
  }
  assert.ok(tried > 100, `only ${tried} routes were tried`)
  for (const path of ['/v1/rtc', '/v1/rtc/events'])
    refused(await client.get(path), 401, 'this token opens no call: it is unknown, used or over')
})

test('a revoked key opens nothing at any gateway, the revocation is in the audit log, and a second one is refused', async () => {
  const { key, id } = await made({ label: 'old shop' })
  assert.equal((await open(visitor(key))).status, 200)
  const { revoked_at } = done(await developer.client.post(`/v1/publishable-keys/${id}/revoke`))
  assert.ok(revoked_at)
  const sentence = 'this publishable key was revoked: put a living one into the page'
  for (const at of [anonymous, other.anonymous]) refused(await open(visitor(key, shop, at)), 401, sentence)
  const again = await developer.client.post(`/v1/publishable-keys/${id}/revoke`)
  refused(again, 404, `there is no publishable key ${id}, or it is revoked`)
  const entries = (await new AuditTrail(deployment).all(`&target=${id}`)).toReversed()
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail]),
    [
      ['publishable_key.created', { agent: 'desk', origins: [shop], visitor_per_hour: 20, per_minute: 60 }],
      ['publishable_key.revoked', { agent: 'desk' }],
    ],
  )
})

test('one visitor opens so many an hour and all together so many a minute, counted by two gateways at the same moment', async () => {
  const { key } = await made({ visitor_per_hour: 3, per_minute: 5 })
  const address = newAddress()
  const at = (i: number) => (i % 2 ? anonymous : other.anonymous)
  const tries = await Promise.all(
    Array.from({ length: 8 }, (_, i) => open(visitor(key, shop, at(i), address))),
  )
  assert.equal(tries.filter(({ status }) => status === 200).length, 3)
  for (const answer of tries.filter(({ status }) => status !== 200))
    refused(answer, 429, 'this page opens at most 3 calls an hour for one visitor: try again later')
  const others = await Promise.all(Array.from({ length: 5 }, (_, i) => open(visitor(key, shop, at(i)))))
  assert.equal(others.filter(({ status }) => status === 200).length, 2)
  const late = others.find(({ status }) => status !== 200)
  assert.ok(late)
  refused(late, 429, 'this page opens at most 5 calls a minute: try again in a moment')
  assert.match(late.headers.get('retry-after') ?? '', /^\d+$/)
  for (const each of [clock, other.clock]) each.forward(minuteMs + 1)
  assert.equal((await open(visitor(key))).status, 200)
  refused(
    await open(visitor(key, shop, anonymous, address)),
    429,
    'this page opens at most 3 calls an hour for one visitor: try again later',
  )
  for (const each of [clock, other.clock]) each.forward(hourMs)
  assert.equal((await open(visitor(key, shop, anonymous, address))).status, 200)
})

test('a key is made by who may make tokens, for their agents and environments, and read and revoked in its own org alone', async () => {
  const mine = await made()
  const qa = await org.person('qa')
  refused(await make({}, qa.client), 403, /^this key does not open app: it opens/)
  const token = await org.serverToken('sandbox')
  refused(await make({}, token.client), 403, "this door takes a person's key")
  const narrowed = await org.person('developer', { agents: ['sales'] })
  refused(await make({}, narrowed.client), 403, 'this key works on sales alone')
  const revoke = (client: Client) => client.post(`/v1/publishable-keys/${mine.id}/revoke`)
  const isNone = `there is no publishable key ${mine.id}, or it is revoked`
  refused(await revoke(narrowed.client), 404, isNone)
  const listedTo = async (client: Client) =>
    done(await client.get('/v1/publishable-keys')).publishable_keys.map(({ id }: PublishableKey) => id)
  assert.deepEqual(await listedTo(narrowed.client), [])
  assert.ok((await listedTo(developer.client)).includes(mine.id))
  const stranger = await (await deployment.newOrg()).person('admin')
  assert.deepEqual(await listedTo(stranger.client), [])
  refused(await revoke(stranger.client), 404, isNone)
  refused(await make({ env: 'production' }), 403, /has no production access: an admin gives it in Team$/)
  refused(await make({ env: 'elsewhere' }), 400, 'env is sandbox or production')
  refused(await make({ agent: 'No One' }), 404, 'there is no agent No One')
  refused(await make({ origins: ['*'] }), 400, /^an origin is https:\/\/host/)
  refused(await make({ label: ' ' }), 400, 'a label is one line of 1 to 100 characters')
  for (const pace of [{ visitor_per_hour: 0 }, { visitor_per_hour: 201 }, { per_minute: 601 }])
    assert.equal((await make(pace)).status, 400)
})

test('a production key opens the agent in production, an agent without an app is refused, and the org’s quota counts', async () => {
  const admin = await org.person('admin', { production: true })
  const { key } = done(await make({ env: 'production' }, admin.client))
  refused(await open(visitor(key)), 409, 'no app holds desk in production: connect one, and call again')
  const full = await deployment.newOrg()
  await new SpokenAgent(deployment, full, 'desk').holdingApp()
  const author = await full.person('developer')
  const { key: fulls } = done(await make({}, author.client))
  await deployment.operator.put(`/v1/ops/orgs/${full.slug}/quotas`, { ...noLimit, concurrent_calls: 0 })
  refused(await open(visitor(fulls)), 429, /^org .+ runs 0 of its 0 calls at once/)
})

test('a hundred keys live in an org at most, also if two gateways are asked at the same moment', async () => {
  const crowded = await deployment.newOrg()
  const author = await crowded.person('developer')
  await sql(
    `insert into publishable_keys (id, org, env, agent, label, key, origins, visitor_per_hour, per_minute, created_by, created_at)
     select 'pub_' || $1 || n, $1, 'sandbox', 'desk', 'x', 'pk_' || $1 || n, '{}', 1, 1, '', now() from generate_series(1, 99) n`,
    [crowded.id],
  )
  const clients = [author.client, other.anonymous.as(author.key)]
  const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => make({}, clients[i % 2])))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  const refusal = answers.find(({ status }) => status !== 201)
  assert.ok(refusal)
  refused(refusal, 409, 'an org has at most 100 publishable keys: revoke one that no page uses')
})

test('a page opens a chat with its key: the token opens that one chat as a socket, resumes it, and opens nothing else', async () => {
  const { key } = await made()
  const first = done(await open(visitor(key), { channel: 'chat' }))
  const second = done(await open(visitor(key), { channel: 'chat' }))
  assert.match(first.token, /^ct_[\w-]{43}$/)
  const { rows } = await sql('select count(*)::int as n from chat_tokens where digest::text like $1', [
    `%${first.token}%`,
  ])
  assert.equal(rows[0].n, 0)
  const page = anonymous.as(first.token)
  const chat = (call: string, agent = 'desk') => `/v1/chat?agent=${agent}&call=${call}&after=0`
  const another = 'this token opens one chat, and not this one'
  refused(await page.get(chat(second.call)), 401, another)
  refused(await page.get('/v1/chat?agent=desk'), 401, another)
  refused(await page.get(chat(first.call, 'sales')), 403, 'this key works on desk alone')
  refused(await page.get(`/v1/calls/${first.call}/events`), 401, 'this key opens nothing')
  refused(await page.get('/v1/rtc'), 401, 'this token opens no call: it is unknown, used or over')
  refused(await page.get('/v1/whoami'), 401, 'this key opens nothing')
  refused(await anonymous.as('ct_invented').get(chat(first.call)), 401, another)
  refused(await page.get(chat(first.call)), 426, 'a chat is opened as a WebSocket')

  clock.forward(2 * hourMs)
  await deployment.gateway.services.authentication.chatTokens.deleteExpired()
  refused(await page.get(chat(first.call)), 426, 'a chat is opened as a WebSocket')
  await sql('update calls set ended_at = $2 where id = $1', [
    first.call,
    new Date(clock.now().getTime() - 2 * hourMs),
  ])
  await deployment.gateway.services.authentication.chatTokens.deleteExpired()
  refused(await page.get(chat(first.call)), 401, another)
})
