import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { secondMs } from '../../foundation/clock.ts'
import { agentLog } from '../log/entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { log } = deployment.gateway.services

const wanted = (note: string) => ({
  type: 'callback.requested',
  data: {
    number: '+34600111222',
    when: null,
    note,
    call: 'call_1',
    channel: 'chat',
    contact: null,
    via: 'agent',
  },
})

async function newDesk() {
  const org = await deployment.newOrg()
  const token = await org.serverToken('sandbox')
  for (const agent of ['desk', 'sales']) done(await token.client.post('/v1/calls', { agent }))
  return { org, client: token.client, ask: workerRequests(org) }
}
const workerRequests =
  ({ id }: TestOrg, env: 'sandbox' | 'production' = 'sandbox') =>
  (agent: string, ...notes: string[]) =>
    log.append(agentLog({ org: id, env, agent }), notes.map(wanted))
const list = async (client: Client, query = '') => done(await client.get(`/v1/callbacks${query}`))
const notesOf = ({ callbacks }: { callbacks: { data: { note: string } }[] }) =>
  callbacks.map(({ data }) => data.note)

test('callbacks of every agent are listed oldest first, as the agents’ own logs have their entries (N-009, N-363, N-364, ND-94, ND-02)', async () => {
  const { client, ask } = await newDesk()
  assert.deepEqual(await list(client), { callbacks: [], next: null })
  await ask('sales', 'first')
  clock.forward(secondMs)
  await ask('desk', 'second')
  clock.forward(secondMs)
  await ask('sales', 'third')
  const page = await list(client)
  assert.deepEqual([notesOf(page), page.next], [['first', 'second', 'third'], null])
  const { ts, ...entry } = page.callbacks[0]
  assert.ok(Math.abs(ts - clock.now().getTime() / 1000) < 30)
  assert.deepEqual(entry, {
    seq: 1,
    call: 'call_1',
    agent: 'sales',
    type: 'callback.requested',
    ephemeral: false,
    data: wanted('first').data,
  })
})

test('callbacks of the same time are ordered by agent and then by place (ND-94)', async () => {
  const { org, client, ask } = await newDesk()
  await ask('sales', 's1', 's2')
  await ask('desk', 'd1', 'd2')
  await sql(
    `begin; set local switchroom.erasing = 'on'; update entries set ts = 1000 where log like '${org.id}/%'; commit`,
  )
  assert.deepEqual(notesOf(await list(client)), ['d1', 'd2', 's1', 's2'])
})

test('an agent’s own are asked for by its name; of one that does not exist there are none (N-365, ND-94)', async () => {
  const { client, ask } = await newDesk()
  await ask('sales', 'theirs')
  await ask('desk', 'ours')
  assert.deepEqual(notesOf(await list(client, '?agent=desk')), ['ours'])
  for (const agent of ['nosuch', 'No%20Slug', ''])
    assert.deepEqual(await list(client, `?agent=${agent}`), { callbacks: [], next: null })
})

test('a page holds a hundred, and `next` continues from there, also among those with the same time (N-366, ND-02)', async () => {
  const { org, client, ask } = await newDesk()
  const notes = (prefix: string) => Array.from({ length: 125 }, (_, n) => `${prefix}${n}`)
  await ask('desk', ...notes('d'))
  await ask('sales', ...notes('s'))
  await sql(
    `begin; set local switchroom.erasing = 'on';
     update entries set ts = 1000 + seq / 50 where log like '${org.id}/%'; commit`,
  )
  const pages = [await list(client)]
  for (let next = pages[0].next; next !== null; next = pages.at(-1).next)
    pages.push(await list(client, `?after=${next}`))
  assert.deepEqual(
    pages.map(({ callbacks }) => callbacks.length),
    [100, 100, 50],
  )
  const seen = pages.flatMap(notesOf)
  assert.equal(new Set(seen).size, 250)
  const all = pages.flatMap(({ callbacks }) => callbacks)
  const places = all.map(({ seq, agent }) => [Math.floor(seq / 50), agent, seq])
  const sorted = places.toSorted(([a, x, m], [b, y, n]) => a - b || (x < y ? -1 : x > y ? 1 : m - n))
  assert.deepEqual(places, sorted)
  const ours = [await list(client, '?agent=desk')]
  ours.push(await list(client, `?agent=desk&after=${ours[0].next}`))
  assert.deepEqual(ours.flatMap(notesOf), notes('d'))
})

test('a full last page has no next (ND-02)', async () => {
  const { client, ask } = await newDesk()
  await ask('desk', ...Array.from({ length: 100 }, (_, n) => `${n}`))
  const page = await list(client)
  assert.deepEqual([page.callbacks.length, page.next], [100, null])
})

test('a cursor that no page gave is 422 (ND-02)', async () => {
  const { client } = await newDesk()
  const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const cursors = [
    '',
    'x',
    made([1]),
    made([1, 'desk']),
    made(['1', 'desk', 1]),
    made([1, 'de\0sk', 1]),
    made({}),
  ]
  for (const cursor of cursors)
    refused(
      await client.get(`/v1/callbacks?after=${cursor}`),
      422,
      'after: must be the next of the page before',
    )
  assert.equal((await client.get(`/v1/callbacks?after=${made([1e300, 'desk', 2 ** 52])}`)).status, 200)
})

test('nothing marks one as done: what was listed stays, other entries of the log are not callbacks (N-378, T-105)', async () => {
  const { org, client, ask } = await newDesk()
  await ask('desk', 'a', 'b', 'c')
  const other = { type: 'message.waiting', data: { contact: '+34600111222', text: 'hello' } }
  await log.append(agentLog({ org: org.id, env: 'sandbox', agent: 'desk' }), [other])
  const first = await list(client)
  assert.deepEqual(notesOf(first), ['a', 'b', 'c'])
  assert.deepEqual(await list(client), first)
})

test('the list is the org’s in one environment (ND-94)', async () => {
  const { org, client } = await newDesk()
  const live = await org.serverToken('production')
  done(await live.client.post('/v1/calls', { agent: 'desk' }))
  await workerRequests(org, 'production')('desk', 'live')
  const stranger = await newDesk()
  await stranger.ask('desk', 'theirs')
  assert.deepEqual(notesOf(await list(client)), [])
  assert.deepEqual(notesOf(await list(live.client)), ['live'])
})

test('without `calls` it is refused (N-363)', async () => {
  const { org } = await newDesk()
  const { client } = await org.serverToken('sandbox', { scopes: ['app', 'talk'] })
  refused(await client.get('/v1/callbacks'), 403, 'this key does not open calls: it opens app · talk')
})

test('a person with a list of agents may not list another agent’s callbacks (I-312, I-306)', async () => {
  const { org, ask } = await newDesk()
  await ask('sales', 'theirs')
  const { client } = await org.person('supervisor', { agents: ['desk'] })
  refused(await client.get('/v1/callbacks?agent=sales'), 403, 'this key works on desk alone')
  assert.deepEqual(notesOf(await list(client, '?agent=desk')), [])
})
