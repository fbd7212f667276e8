import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rowsRead } from '../../../testing/query-plan.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import type { Database, Statement, Value } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { CallSearch } from './call-search.ts'
import { Sessions } from './sessions.ts'
import { searchOfNewest, searchOfRecords, searchOfShelves, shelfOf } from './search.store.ts'
import { listing, type Wanted } from './sessions.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const org = await deployment.newOrg()
const calls = 100_000

before(async () => {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  for (let from = 0; from < calls; from += 5000) {
    await sql(
      `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, caller, called, state,
         ended_at)
       select 'call_' || n, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false, '+34' || (600000000 + n * 1000),
         '+34911000000', 'ended', now()
       from generate_series($2::int + 1, $2::int + 5000) n`,
      [org.id, from],
    )
    await sql(
      `insert into entries (log, seq, ts, type, entry, org, month)
       select 'call_' || n, 1, 1, 'user.message',
         '{"data":{"text":"hello, my order is ' || case n % 5000 when 0 then 'a unicorn' else 'late' end || '"}}', $2, 0
       from generate_series($1::int + 1, $1::int + 5000) n`,
      [from, org.id],
    )
  }
  await sql(`insert into agents (org, slug, created_at) values ($1, 'other', now())`, [org.id])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     select 'live_' || n, $1, case n % 2 when 0 then 'desk' else 'other' end, 'production', '',
       case n % 2 when 0 then 'chat' else 'phone' end, now(), '[]', false
     from generate_series(1, 4000) n`,
    [org.id],
  )
  const others = await deployment.newOrg()
  await sql(`insert into agents (org, slug, created_at) values ($1, 'other', now())`, [others.id])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     select 'others_' || n, $1, 'other', 'sandbox', '', 'chat', now(), '[]', false from generate_series(1, 30000) n`,
    [others.id],
  )
  await sql('vacuum analyze calls, entries, turn_words')
})

async function readBy({ query, values }: ReturnType<typeof listing>): Promise<number> {
  const { rows } = await sql(`explain (analyze, format json) ${query.text}`, values)
  return rowsRead(rows[0]['QUERY PLAN'][0].Plan)
}

test('a page of a hundred thousand calls is found without looking at more than some hundreds, however it is narrowed', async () => {
  const all: Wanted = { org: org.id, env: 'sandbox', test: false }
  const sought = (words: string, number?: string) => ({ words, number })
  const shelves = { oldest: 0, newest: shelfOf(calls) }
  const pages = {
    newest: listing(all, 51),
    'a later page': listing({ ...all, before: 500 }, 51),
    'an agent': listing({ ...all, agent: 'desk' }, 51),
    'nothing open': listing({ ...all, state: 'open' }, 51),
    "nothing of an agent's channel": listing(
      { ...all, env: 'production', agent: 'desk', channel: 'phone' },
      51,
    ),
    'nothing of a channel': listing({ ...all, channel: 'phone' }, 51),
    'a common word': searchOfNewest(all, sought('hello'), 51, 204),
    'a common prefix': searchOfNewest(all, sought('34', '+34'), 51, 204),
    'a rare word': searchOfShelves(all, 'unicorn', shelves, 51),
    'a word that is nowhere': searchOfShelves(all, 'griffin', shelves, 51),
    "an agent's word": searchOfShelves({ ...all, agent: 'other' }, 'late', shelves, 51),
    "a channel's word": searchOfShelves({ ...all, channel: 'phone' }, 'late', shelves, 51),
    'a number': searchOfRecords(all, sought('34600005000', '+34600005000'), 51),
    'an id': searchOfRecords(all, sought('call_5'), 51),
  }
  for (const [name, page] of Object.entries(pages)) {
    const read = await readBy(page)
    assert.ok(read <= 600, `${name}: ${read} rows`)
  }
})

test('what is found in so many calls is the same, rare or common', async () => {
  const { client } = await org.serverToken('sandbox')
  const find = async (q: string) =>
    done(await client.get(`/v1/sessions?q=${q}`)).sessions.map(({ call }: { call: string }) => call)
  const rare = Array.from({ length: 20 }, (_, n) => `call_${calls - n * 5000}`)
  assert.deepEqual(await find('unicorn'), rare)
  const newest = Array.from({ length: 50 }, (_, n) => `call_${calls - n}`)
  assert.deepEqual(await find('hello'), newest)
  assert.deepEqual(await find('34600005000'), ['call_5'])
  assert.deepEqual(await find('call_77'), ['call_77'])
})

test('the index of words is read only for an org with more calls than those that are looked at one by one', async () => {
  const { database, slowRequests } = deployment.gateway.services
  const texts: string[] = []
  const recording = {
    rows: (query: Statement<object>, ...values: Value[]) => (
      texts.push(query.text),
      database.rows(query, ...values)
    ),
    row: (query: Statement<object>, ...values: Value[]) => database.row(query, ...values),
  }
  const callSearch = new CallSearch(recording as Database, async () => true)
  const sessions = new Sessions(recording as Database, callSearch, slowRequests)
  const search = async (id: string, q: string) => {
    texts.length = 0
    await sessions.list({ org: id, env: 'sandbox' } as Caller, { q, limit: '2' })
    return texts.some((text) => text.includes('from generate_series'))
  }
  const small = await deployment.newOrg()
  const { client } = await small.serverToken('sandbox')
  const open = async () => done(await client.post('/v1/calls', { agent: 'desk' }))
  for (let n = 0; n < 12; n += 1) await open()
  assert.equal(await search(small.id, 'hello'), false)
  await open()
  assert.equal(await search(small.id, 'hello'), true)
  assert.deepEqual([await search(org.id, 'hello'), await search(org.id, 'unicorn')], [false, true])
})
