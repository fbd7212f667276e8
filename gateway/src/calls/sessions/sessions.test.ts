import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { minuteMs } from '../../foundation/clock.ts'
import { callLog } from '../log/entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { log } = deployment.gateway.services

/** An org with nothing in it, and what tests do with its calls. */
async function newDesk() {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const live = (await org.serverToken('production')).client
  const list = async (query = '', asker: Client = client) => done(await asker.get(`/v1/sessions${query}`))
  return {
    org,
    client,
    live,
    list,
    ids: async (query = '') => (await list(query)).sessions.map(({ call }: { call: string }) => call),
    open: async (row: Record<string, unknown> = {}, opener = client): Promise<string> => {
      const { agent = 'desk', ...more } = row
      const { call } = done(await opener.post('/v1/calls', { agent }))
      for (const [column, value] of Object.entries(more))
        await sql(`update calls set ${column} = $2 where id = $1`, [call, value])
      return call
    },
    write: async (call: string, ...entries: [type: string, data: object][]) => {
      const ref = callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' })
      await log.append(
        ref,
        entries.map(([type, data]) => ({ type, data: { ...data } })),
      )
    },
  }
}
const said = (text: string): [string, object] => ['user.message', { text, messageId: text }]

test('the calls of an environment are listed newest first, each as its record says (ND-02, ND-04)', async () => {
  const { open, write, list, live } = await newDesk()
  const openedAt = clock.now().getTime() / 1000
  const first = await open({
    channel: 'phone',
    direction: 'outbound',
    caller: '+34911000000',
    called: '+34600111222',
    contact: '+34600111222',
  })
  await write(first, said('hello'), ['agent.message', { text: 'hi' }], ['error', { code: 'llm_timeout' }])
  clock.forward(minuteMs)
  await write(first, ['call.ended', { reason: 'hangup' }])
  const second = await open({ agent: 'other' })
  await open({}, live)
  const { sessions, next } = await list()
  assert.equal(next, null)
  const [newest, { started_at, ended_at, duration_s, ...oldest }] = sessions
  assert.deepEqual([sessions.length, newest.call, newest.agent], [2, second, 'other'])
  assert.deepEqual(oldest, {
    call: first,
    agent: 'desk',
    env: 'sandbox',
    channel: 'phone',
    direction: 'outbound',
    from: '+34911000000',
    to: '+34600111222',
    contact: '+34600111222',
    state: 'ended',
    reason: 'hangup',
    turns: 2,
    errors: 1,
    config_version: null,
    canary: false,
    test: false,
  })
  assert.ok(started_at >= openedAt - 0.001 && started_at < openedAt + 30)
  assert.ok(duration_s >= 60 && duration_s < 90)
  assert.ok(Math.abs(ended_at - started_at - duration_s) < 0.01)
  assert.deepEqual(
    [newest.state, newest.ended_at, newest.duration_s, newest.from],
    ['open', null, null, null],
  )
})

test('a page says where the next one begins, and calls that are opened meanwhile do not move it (ND-02)', async () => {
  const { open, ids, list } = await newDesk()
  const calls: string[] = []
  for (let n = 0; n < 5; n += 1) calls.unshift(await open())
  const first = await list('?limit=2')
  await open()
  const second = await list(`?limit=2&after=${first.next}`)
  const third = await list(`?limit=2&after=${second.next}`)
  const seen = [first, second, third].flatMap(({ sessions }) =>
    sessions.map(({ call }: { call: string }) => call),
  )
  assert.deepEqual(seen, calls)
  assert.equal(third.next, null)
  assert.equal((await list('?limit=6')).next, null)
  assert.equal((await ids('?limit=100')).length, 6)
})

test('without a limit a page holds 50, and never more than 100 (ND-02)', async () => {
  const { client, open, list } = await newDesk()
  const call = await open()
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     select id || n, org, agent, env, holder, channel, opened_at, settings, canary
     from calls, generate_series(1, 110) n where id = $1`,
    [call],
  )
  assert.equal((await list()).sessions.length, 50)
  assert.equal((await list('?limit=100')).sessions.length, 100)
  for (const limit of ['0', '101', '-1', 'many', '1.5', ''])
    refused(await client.get(`/v1/sessions?limit=${limit}`), 422, 'limit: must be 1 to 100')
})

test('a cursor that no page gave is 422 (ND-02)', async () => {
  const { client } = await newDesk()
  const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const cursor of [
    '',
    'x',
    '12',
    made(12),
    made(['12']),
    made([1.5]),
    made([1e300]),
    made([1, 2]),
    made(null),
  ])
    refused(
      await client.get(`/v1/sessions?after=${cursor}`),
      422,
      'after: must be the next of the page before',
    )
})

test('they are narrowed by agent, state and channel, all at once', async () => {
  const { client, open, ids } = await newDesk()
  const ended = await open({ state: 'ended' })
  const held = await open({ state: 'held', channel: 'chat' })
  const other = await open({ agent: 'other', channel: 'chat' })
  const phone = await open({ channel: 'phone' })
  assert.deepEqual(await ids('?agent=desk'), [phone, held, ended])
  assert.deepEqual(await ids('?state=open'), [phone, other])
  assert.deepEqual(await ids('?state=held'), [held])
  assert.deepEqual(await ids('?state=ended'), [ended])
  assert.deepEqual(await ids('?channel=chat'), [other, held])
  assert.deepEqual(await ids('?agent=desk&state=held&channel=chat'), [held])
  assert.deepEqual(await ids('?agent=other&state=held'), [])
  assert.deepEqual(await ids('?agent=nosuch'), [])
  refused(await client.get('/v1/sessions?state=gone'), 400, 'state is one of open, held, ended')
  refused(await client.get('/v1/sessions?channel=fax'), 400, 'channel is one of chat, web, phone, msgapp')
})

test('a call is found by its id, the first digits of a number, and the words of one turn', async () => {
  const { client, open, write, ids } = await newDesk()
  const ana = await open({ caller: '+34600111222', called: '+34911000000' })
  const ben = await open({ caller: '+34911000000', called: '+34600999888', direction: 'outbound' })
  await write(ana, said('Where is my Bicycle?'), ['agent.message', { text: 'On its way to you' }])
  await write(
    ben,
    said('the order 34600111 is wrong'),
    ['error', { text: 'bicycle' }],
    ['metrics', { text: 'way' }],
  )
  const find = (q: string, more = '') => ids(`?q=${encodeURIComponent(q)}${more}`)
  assert.deepEqual(await find(ana), [ana])
  assert.deepEqual(await find(ana.slice(0, -1)), [])
  assert.deepEqual(await find('+34600111222'), [ana])
  assert.deepEqual(await find('+346001'), [ana])
  assert.deepEqual(await ids('?q=+34600'), [ben, ana]) // a plus sign that came as a space
  assert.deepEqual(await find('34600'), [ben, ana])
  assert.deepEqual(await find('34600111'), [ben, ana]) // one says it, the other has it
  assert.deepEqual(await find('600111222'), [])
  assert.deepEqual(await find('bicycle'), [ana])
  assert.deepEqual(await find('BICYCLE where'), [ana])
  assert.deepEqual(await find('bicycle way'), []) // not in one turn
  assert.deepEqual(await find('way'), [ana])
  assert.deepEqual(await find('bicy'), [])
  assert.deepEqual(await find('?!'), [])
  assert.deepEqual(await find('  '), [ben, ana])
  assert.deepEqual(await find('order', '&agent=desk&state=open'), [ben])
  assert.deepEqual(await find('order', '&agent=other'), [])
  assert.deepEqual(await find("' or 1=1 --"), [])
  refused(await client.get(`/v1/sessions?q=${'x'.repeat(201)}`), 400, 'q is at most 200 characters')
})

test('a search continues page by page, through calls that hold the words and calls that do not', async () => {
  const { open, write, list } = await newDesk()
  const holding: string[] = []
  for (let n = 0; n < 24; n += 1) {
    const call = await open()
    if (n % 8 > 5) continue
    await write(call, said(n < 8 ? 'plum' : 'peach'), said('plum tree'))
    holding.unshift(call)
  }
  const seen: string[] = []
  let next: string | null = ''
  let pages = 0
  while (next !== null) {
    const page: { sessions: { call: string }[]; next: string | null } = await list(
      `?q=plum&limit=3${next && `&after=${next}`}`,
    )
    seen.push(...page.sessions.map(({ call }) => call))
    next = page.next
    pages += 1
  }
  assert.deepEqual([seen, pages], [holding, 6])
  for (let n = 0; n < 10; n += 1) await open()
  assert.equal((await list('?q=plum&limit=1')).sessions[0]?.call, holding[0])
})

test('no search finds the calls of another org or environment', async () => {
  const mine = await newDesk()
  const theirs = await newDesk()
  const call = await theirs.open({ caller: '+34600111222' })
  await theirs.write(call, said('secret'))
  const elsewhere = await mine.open({ caller: '+34600111222' }, mine.live)
  for (const q of ['', call, elsewhere, '34600', 'secret']) assert.deepEqual(await mine.ids(`?q=${q}`), [])
  assert.deepEqual(await theirs.ids('?q=secret'), [call])
})

test('a person with a list of agents sees every agent’s calls, but may not filter by another agent (I-306, I-316)', async () => {
  const { org, open } = await newDesk()
  const call = await open({ agent: 'other' })
  const { client: narrowed } = await org.person('supervisor', { agents: ['desk'] })
  const sentence = 'this key works on desk alone'
  refused(await narrowed.get('/v1/sessions?agent=other'), 403, sentence)
  refused(await narrowed.get('/v1/sessions?agent=desk&agent=other'), 403, sentence)
  refused(await narrowed.get('/v1/sessions?agent=nosuch'), 403, sentence)
  assert.deepEqual(done(await narrowed.get('/v1/sessions')).sessions[0].call, call)
  assert.deepEqual(done(await narrowed.get('/v1/sessions?agent=desk')).sessions, [])
})

test('the listing needs `calls` (ND-07)', async () => {
  const { org } = await newDesk()
  const { client } = await org.serverToken('sandbox', { scopes: ['app', 'talk'] })
  refused(await client.get('/v1/sessions'), 403, 'this key does not open calls: it opens app · talk')
})
