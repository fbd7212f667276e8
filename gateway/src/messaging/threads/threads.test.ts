import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Thread } from '@switchroom/contract/threads'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { callLog } from '../../calls/log/entries.ts'
import { dayMs, hourMs, later, minuteMs, secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { log } = deployment.gateway.services
const ana = '+34600111222'
const ben = '+34600333444'
const number = '+34911000000'

type Written = [type: string, data: Record<string, unknown>]
const heard = (text: string): Written => ['user.message', { text, messageId: text }]
const answered = (text: string, source = 'model'): Written => ['agent.message', { text, source }]
const ended: Written = ['call.ended', { reason: 'timeout' }]

/** An org with nothing in it, and what tests do with its calls. */
async function newThreads() {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const live = (await org.serverToken('production')).client
  const write = (call: string, ...entries: Written[]) =>
    log.append(
      callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' }),
      entries.map(([type, data]) => ({ type, data })),
    )
  return {
    org,
    client,
    live,
    write,
    open: async (row: Record<string, unknown> = {}, opener = client): Promise<string> => {
      const { agent = 'desk', ...more } = row
      const { call } = done(await opener.post('/v1/calls', { agent }))
      const columns = { contact: ana, caller: row['contact'] ?? ana, called: number, ...more }
      for (const [column, value] of Object.entries(columns))
        await sql(`update calls set ${column} = $2 where id = $1`, [call, value])
      return call
    },
    wrote: (contact: string, at: Date, name: string | null = 'Ana') =>
      sql(
        `insert into conversations (org, env, number, contact, name, phone_number_id, wrote_at)
         values ($1, 'sandbox', $2, $3, $4, '1055', $5)`,
        [org.id, number, contact, name, at],
      ),
    waits: (contact: string, text: string, sentAt: Date, agent = 'desk') =>
      sql(
        `insert into waiting_messages (org, env, agent, message_id, number, contact, sent_at, message)
         values ($1, 'sandbox', $2, $3, $4, $5, $6, $7)`,
        [org.id, agent, text, number, contact, sentAt, { text, name: 'Ana' }],
      ),
    list: async (query = '', asker: Client = client): Promise<Thread[]> =>
      done(await asker.get(`/v1/agents/desk/threads${query}`)).threads,
  }
}
const textsOf = ({ turns }: Thread) => turns.map(({ text }) => text)
const seconds = (at: Date) => Math.floor(at.getTime() / 1000) * 1000

test("a contact's phone, chat and messaging calls with an agent are one thread: calls and turns oldest first, each turn with its speaker (N-327, N-328, ND-02, ND-04, ND-84)", async () => {
  const { open, write, list, wrote } = await newThreads()
  const spoken = await open({ channel: 'phone' })
  await write(spoken, heard('do you open today?'), answered('at nine'), ['metrics', { vendor: 'x' }], ended)
  const chat = await open({ channel: 'chat' })
  await write(chat, heard('and tomorrow?'))
  const messaging = await open({ channel: 'msgapp' })
  await write(messaging, heard('hello'), answered('hi'), answered('this is Eva', 'human'))
  const wroteAt = new Date(seconds(clock.now()))
  await wrote(ana, wroteAt)
  const [thread, ...others] = await list()
  assert.ok(thread)
  assert.deepEqual(others, [])
  const { calls, turns, last_at, ...rest } = thread
  assert.deepEqual(rest, {
    contact: ana,
    name: 'Ana',
    state: 'open',
    call: messaging,
    window_closes_at: wroteAt.getTime() / 1000 + 24 * 3600,
    failure: null,
    unread: null,
    waiting: [],
  })
  assert.deepEqual(
    calls.map(({ call, channel, reason }) => [call, channel, reason]),
    [
      [spoken, 'phone', 'timeout'],
      [chat, 'chat', null],
      [messaging, 'msgapp', null],
    ],
  )
  const [first] = calls
  assert.ok(first && Math.abs(first.started_at - clock.now().getTime() / 1000) < 60)
  assert.ok((first.ended_at ?? 0) >= first.started_at)
  assert.deepEqual(
    turns.map(({ call, seq, who, text }) => [call, seq, who, text]),
    [
      [spoken, 1, 'contact', 'do you open today?'],
      [spoken, 2, 'agent', 'at nine'],
      [chat, 1, 'contact', 'and tomorrow?'],
      [messaging, 1, 'contact', 'hello'],
      [messaging, 2, 'agent', 'hi'],
      [messaging, 3, 'supervisor', 'this is Eva'],
    ],
  )
  assert.equal(last_at, turns.at(-1)?.ts)
})

test('threads are those of one agent in the environment of the key, and of no unknown contact (N-327, ND-84)', async () => {
  const { open, list, live, client } = await newThreads()
  await open({ contact: ben })
  await open({ contact: null })
  await open({ agent: 'other' })
  await open({}, live)
  assert.deepEqual(
    (await list()).map(({ contact }) => contact),
    [ben],
  )
  assert.deepEqual(
    (await list('', live)).map(({ contact }) => contact),
    [ana],
  )
  assert.deepEqual(done(await client.get('/v1/agents/nobodys/threads')), { threads: [] })
  const stranger = await newThreads()
  assert.deepEqual(await stranger.list(), [])
})

test('the contact with the latest turn, silent call or waiting message comes first (ND-84)', async () => {
  const { open, write, list, waits } = await newThreads()
  const order = async () => (await list()).map(({ contact }) => contact)
  const first = await open()
  await write(first, heard('one'))
  clock.forward(secondMs)
  const second = await open({ contact: ben, channel: 'msgapp' })
  assert.deepEqual(await order(), [ben, ana])
  clock.forward(secondMs)
  await write(first, answered('two'))
  assert.deepEqual(await order(), [ana, ben])
  await write(second, heard('three'), ended)
  clock.forward(secondMs)
  await open({ contact: ben, channel: 'phone' })
  await write(first, answered('four'))
  clock.forward(secondMs)
  assert.deepEqual(await order(), [ana, ben])
  clock.forward(secondMs)
  await waits(ben, 'five', clock.now())
  const [newest] = await list()
  assert.equal(newest?.contact, ben)
  assert.ok(Math.abs((newest?.last_at ?? 0) - clock.now().getTime() / 1000) < 10)
})

test('a call that is open while a newer one was made counts by its own last turn', async () => {
  const { open, write, list } = await newThreads()
  const long = await open({ channel: 'msgapp' })
  clock.forward(minuteMs)
  await write(await open({ channel: 'phone' }), heard('quick question'), ended)
  await write(await open({ contact: ben }), heard('between'))
  clock.forward(minuteMs)
  await write(long, heard('still here'))
  const threads = await list()
  assert.deepEqual(
    threads.map(({ contact }) => contact),
    [ana, ben],
  )
  assert.deepEqual(threads.map(textsOf), [['quick question', 'still here'], ['between']])
})

test('a thread shows the state of its messaging conversation: none, waiting, open, held, ended (ND-84)', async () => {
  const { org, open, write, list, wrote, waits } = await newThreads()
  const eva = await org.person('supervisor')
  const state = async () => {
    const [thread] = await list()
    return [thread?.state, thread?.call, thread?.name, thread?.window_closes_at !== null]
  }
  await waits(ana, 'anybody there?', clock.now())
  assert.deepEqual(await state(), ['waiting', null, 'Ana', false])
  await sql('delete from waiting_messages where org = $1', [org.id])
  assert.deepEqual(await list(), [])
  await open({ channel: 'phone' })
  assert.deepEqual(await state(), ['none', null, null, false])
  const call = await open({ channel: 'msgapp' })
  await wrote(ana, clock.now(), 'Ana B.')
  assert.deepEqual(await state(), ['open', call, 'Ana B.', true])
  await waits(ana, 'no app holds the agent just now', clock.now())
  assert.deepEqual(await state(), ['open', call, 'Ana B.', true])
  done(await eva.client.post(`/v1/calls/${call}/verbs`, { verb: 'takeover' }))
  assert.deepEqual(await state(), ['held', call, 'Ana B.', true])
  await write(call, ended)
  assert.deepEqual(await state(), ['waiting', null, 'Ana B.', true])
  await sql('delete from waiting_messages where org = $1', [org.id])
  assert.deepEqual(await state(), ['ended', null, 'Ana B.', true])
})

test('what waits is listed, oldest first, until it is a day old', async () => {
  const { list, waits } = await newThreads()
  const now = clock.now()
  await waits(ana, 'too old', later(now, -dayMs - secondMs))
  await waits(ana, 'first', new Date(seconds(later(now, -hourMs))))
  await waits(ana, 'second', new Date(seconds(later(now, -2 * hourMs)))) // it was delivered late
  await waits(ben, 'too old as well', later(now, -dayMs - secondMs))
  await waits(ana, "another agent's", now, 'other')
  const threads = await list()
  assert.deepEqual(
    threads.map(({ contact, calls, turns }) => [contact, calls, turns]),
    [[ana, [], []]],
  )
  assert.deepEqual(threads[0]?.waiting, [
    { ts: Math.floor((now.getTime() - hourMs) / 1000), text: 'first' },
    { ts: Math.floor((now.getTime() - 2 * hourMs) / 1000), text: 'second' },
  ])
})

test('a thread has its last 200 turns, over as many calls as hold them (ND-84)', async () => {
  const { open, write, list } = await newThreads()
  const said = (from: number, count: number) => Array.from({ length: count }, (_, n) => heard(`${from + n}`))
  const old = await open()
  await write(old, ...said(0, 50), ended)
  const stretched = await open({ channel: 'msgapp' })
  await write(stretched, ...said(50, 50))
  clock.forward(secondMs)
  await write(await open(), ...said(100, 180), ended)
  clock.forward(secondMs)
  const last = await open()
  await write(last, ...said(280, 30))
  clock.forward(secondMs)
  await write(stretched, ...said(310, 5)) // behind more than 200 turns of newer calls
  const numbers = (thread: Thread | undefined) => thread?.turns.map(({ text }) => Number(text))
  const expected = Array.from({ length: 200 }, (_, n) => 115 + n)
  assert.deepEqual(numbers((await list())[0]), expected)
  await write(last, ...said(315, 250))
  assert.deepEqual(
    numbers((await list())[0]),
    expected.map((n) => n + 250),
  )
  assert.equal((await list())[0]?.calls.length, 4)
})

test('of each thread as many turns as are asked for, or one thread alone', async () => {
  const { client, open, write, list } = await newThreads()
  await write(await open(), heard('one'), answered('two'), heard('three'))
  await open({ contact: ben })
  assert.deepEqual((await list('?turns=2')).map(textsOf), [[], ['two', 'three']])
  assert.deepEqual((await list('?turns=0')).map(textsOf), [[], []])
  for (const contact of ['%2B34600111222', '+34600111222'])
    assert.deepEqual((await list(`?contact=${contact}`)).map(textsOf), [['one', 'two', 'three']])
  assert.deepEqual(await list('?contact=nobody'), [])
  for (const turns of ['201', '-1', 'all', ''])
    refused(await client.get(`/v1/agents/desk/threads?turns=${turns}`), 422, 'turns: must be 0 to 200')
})

test('turns of a call are listed as its log has them, also if the clock of a gateway is behind', async () => {
  const { open, write, list } = await newThreads()
  const behind = await deployment.another()
  const call = await open({ channel: 'msgapp' })
  const ref = (await log.find(call)) ?? assert.fail()
  clock.forward(minuteMs)
  await write(call, heard('question'))
  await behind.gateway.services.log.append(ref, [{ type: 'agent.message', data: { text: 'answer' } }])
  await write(call, heard('thanks'))
  const [thread] = await list()
  assert.ok(thread && (thread.turns[1]?.ts ?? 0) < (thread.turns[0]?.ts ?? 0))
  assert.deepEqual(textsOf(thread), ['question', 'answer', 'thanks'])
})

test('an agent with more contacts than are read at once has every one of them, once', async () => {
  const { client, open, list } = await newThreads()
  const call = await open()
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, contact)
     select id || n, org, agent, env, holder, channel, opened_at + n * interval '1 ms', settings, canary, '+1' || n
     from calls, generate_series(1, 120) n where id = $1`,
    [call],
  )
  const contacts = (await list()).map(({ contact }) => contact)
  assert.deepEqual(contacts, [...Array.from({ length: 120 }, (_, n) => `+1${120 - n}`), ana])
  const answer = await client.raw('/v1/agents/desk/threads', { method: 'HEAD' })
  assert.deepEqual([answer.status, answer.text], [200, ''])
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
})

test('threads are listed for `calls` and written to for `talk`, only by people who work on the agent (N-329, N-402, ND-07, T-32)', async () => {
  const { org, open } = await newThreads()
  await open({ channel: 'msgapp' })
  const messages = `/v1/agents/desk/threads/${ana}/messages`
  const read = `/v1/agents/desk/threads/${ana}/read`
  const writer = (await org.serverToken('sandbox', { scopes: ['talk'] })).client
  const reader = (await org.serverToken('sandbox', { scopes: ['calls'] })).client
  refused(await writer.get('/v1/agents/desk/threads'), 403, 'this key does not open calls: it opens talk')
  refused(await reader.post(messages, { text: 'hello' }), 403, 'this key does not open talk: it opens calls')
  refused(await reader.put(read, {}), 403, "this door takes a person's key")
  const narrowed = (await org.person('supervisor', { agents: ['sales', 'support'] })).client
  const outside = 'this key works on sales · support alone'
  for (const agent of ['desk', 'no-such']) {
    refused(await narrowed.get(`/v1/agents/${agent}/threads`), 403, outside)
    refused(await narrowed.post(messages.replace('desk', agent), { text: 'hello' }), 403, outside)
    refused(await narrowed.put(read.replace('desk', agent), {}), 403, outside)
  }
  assert.deepEqual(done(await narrowed.get('/v1/agents/sales/threads')), { threads: [] })
})
