import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import type { Database, Statement, Value } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { CallSearch } from './call-search.ts'
import { Sessions } from './sessions.ts'

const deployment = await startDeployment({ SVC_SLOW_REQUESTS_PER_ORG: '100' })
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment

/** Ended calls with one turn each, as many as are named; the last ten of an org also hold a word of its own. */
async function fill(org: string, calls: number, turn: string, own: string) {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at)
     select 'call_' || $1::text || '_' || n, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false, 'ended', now()
     from generate_series(1, $2::int) n`,
    [org, calls],
  )
  await sql(
    `insert into logs (id, org, env, agent, call, seq) select id, org, env, agent, id, 1 from calls where org = $1`,
    [org],
  )
  for (let from = 1; from <= calls; from += 5000)
    await sql(
      `insert into entries (log, seq, ts, type, entry, org, month)
       select id, 1, 1, 'user.message', json_build_object('data', json_build_object('text',
         $2::text || ' ' || id || case when id ~ '_[0-9]$' then ' ' || $3::text else '' end)), $1, 0
       from generate_series($4::int, least($4::int + 4999, $5::int)) n
       cross join lateral (select 'call_' || $1::text || '_' || n as id) named`,
      [org, turn, own, from, calls],
    )
}

/** Every statement that a search of the org runs, with its values. */
async function statementsOf(org: string, q: string) {
  const { database, slowRequests } = deployment.gateway.services
  const run: { text: string; values: Value[] }[] = []
  const recording = {
    rows: (query: Statement<object>, ...values: Value[]) => (
      run.push({ text: query.text, values }),
      database.rows(query, ...values)
    ),
    row: (query: Statement<object>, ...values: Value[]) => (
      run.push({ text: query.text, values }),
      database.row(query, ...values)
    ),
  }
  const search = new CallSearch(recording as Database, async () => true)
  const caller = { org, env: 'sandbox' } as Caller
  await new Sessions(recording as Database, search, slowRequests).list(caller, { q })
  return run
}

/** How many pages of tables and indexes a search reads. */
async function pagesRead(org: string, q: string): Promise<number> {
  let pages = 0
  for (const { text, values } of await statementsOf(org, q)) {
    const { rows } = await sql(`explain (analyze, buffers, format json) ${text}`, values)
    const plan = rows[0]['QUERY PLAN'][0].Plan
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return pages
}

test('a search reads as much of the database when another org has fifty times the calls, whatever the word', async () => {
  const small = await deployment.newOrg()
  const large = await deployment.newOrg()
  await fill(small.id, 600, 'my order is late', 'unicorn')
  await sql('vacuum analyze')
  const words = ['unicorn', 'late', 'hello', 'nowhere']
  const read = async () =>
    Object.fromEntries(
      await Promise.all(words.map(async (word) => [word, await pagesRead(small.id, word)] as const)),
    )
  await read()
  const alone = await read()

  await fill(large.id, 30_000, 'hello my order is late', 'unicorn unicorn')
  const unsorted = await read()
  await sql('vacuum analyze')
  await read()
  const beside = await read()
  for (const word of words) {
    // an index of so many more rows may be a level deeper
    const [before = 0, then = 0, at = 0] = [alone[word], beside[word], unsorted[word]]
    assert.ok(then <= before * 1.5 + 20, `${word}: ${before} pages alone, ${then} beside the other org`)
    assert.ok(
      at <= before * 1.5 + 20,
      `${word}: ${before} pages alone, ${at} right behind the other org's calls`,
    )
  }

  const { client } = await small.serverToken('sandbox')
  const found = async (q: string) => done(await client.get(`/v1/sessions?q=${q}`)).sessions.length
  assert.deepEqual([await found('unicorn'), await found('hello'), await found('...')], [9, 0, 0])
})
