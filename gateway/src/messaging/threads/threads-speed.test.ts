import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ThreadList } from '@switchroom/contract/threads'
import { rowsRead } from '../../../testing/query-plan.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import type { Database, Statement, Value } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { Threads } from './threads.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database, clock } = deployment.gateway.services
const org = await deployment.newOrg()
const contacts = 10_000
const callsOfEach = 2
const turnsOfEach = 3
const callsOfOne = 1000

/** Calls of many contacts, each with some turns and as many other entries. */
async function insertCalls(id: string, contact: string, count: number, turns: number) {
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, ended_at, state, settings, canary, contact,
       called, turns)
     select ${id}, $1, 'desk', 'sandbox', '', 'msgapp', now() + n * interval '1 s', now() + n * interval '1 s',
       'ended', '[]', false, ${contact}, '+34911000000', $3
     from generate_series(1, $2::int) n`,
    [org.id, count, turns],
  )
  await sql(
    `insert into logs (id, org, env, agent, call, seq)
     select ${id}, $1, 'sandbox', 'desk', ${id}, $3 from generate_series(1, $2::int) n`,
    [org.id, count, turns * 2],
  )
  await sql(
    `insert into entries (log, seq, ts, type, entry, month)
     select ${id}, seq, extract(epoch from now()) + n, case seq % 4 when 1 then 'user.message' when 3 then
       'agent.message' else 'metrics' end, '{"data":{"text":"hello, where is my order?"}}', 0
     from generate_series(1, $1::int) n, generate_series(1, $2::int) seq`,
    [count, turns * 2],
  )
}

before(async () => {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  await insertCalls(
    `'call_' || n`,
    `'+34' || (600000000 + n % ${contacts})`,
    contacts * callsOfEach,
    turnsOfEach,
  )
  await insertCalls(`'often_' || n`, `'+1'`, callsOfOne, 20)
  await sql(
    `insert into conversations (org, env, number, contact, name, phone_number_id, wrote_at)
     select $1, 'sandbox', '+34911000000', '+34' || (600000000 + n), 'Ana', '1055', now()
     from generate_series(1, $2::int) n`,
    [org.id, contacts],
  )
  await sql(
    `insert into waiting_messages (org, env, agent, message_id, number, contact, sent_at, message)
     select $1, 'sandbox', 'desk', 'wamid.' || n, '+34911000000', '+34' || (600000000 + n), now(), '{"text": "hello?"}'
     from generate_series(1, $2::int) n`,
    [org.id, contacts - 1],
  )
  await sql('vacuum analyze calls, logs, entries, conversations, waiting_messages')
})

/** Lists threads, with what the first of its statements read, and how many there were. */
async function listed(asked: { contact?: string; turns?: string }) {
  const reads: number[] = []
  let statements = 0
  const recording = {
    rows: async (query: Statement<object>, ...values: Value[]) => {
      statements += 1
      if (statements > 10) return database.rows(query, ...values)
      const { rows } = await sql(`explain (analyze, format json) ${query.text}`, values)
      reads.push(rowsRead(rows[0]['QUERY PLAN'][0].Plan))
      return database.rows(query, ...values)
    },
  }
  const caller = { org: org.id, env: 'sandbox', kind: 'server' } as Caller
  const threads = new Threads(
    recording as unknown as Database,
    clock,
    deployment.gateway.services.readReceipts,
    async () => true,
  )
  let text = ''
  for await (const piece of await threads.list(caller, 'desk', asked)) text += piece
  return { ...(JSON.parse(text) as ThreadList), reads, statements }
}

test('ten thousand contacts are listed reading each call and its last turns a few times, some threads at a time (N-327)', async () => {
  const { threads, reads, statements } = await listed({})
  assert.equal(threads.length, contacts + 1)
  const [first = 0, ...pages] = reads
  const calls = contacts * callsOfEach + callsOfOne
  assert.ok(first < calls + 6 * contacts, `${first} rows for the order of the threads`)
  assert.equal(statements, 1 + Math.ceil(threads.length / 50))
  const most = Math.max(...pages)
  assert.ok(most < 50 * (callsOfEach * (4 + turnsOfEach * 4) + 3), `${most} rows for fifty threads`)
  const last = threads.at(-1)
  assert.deepEqual([last?.contact, last?.turns.length], ['+1', 200])
  assert.deepEqual(
    new Set(threads.slice(0, -1).map(({ turns }) => turns.length)),
    new Set([callsOfEach * turnsOfEach]),
  )
})

test('a contact of a thousand calls is read no further back than the last turns go (ND-84)', async () => {
  const { threads, reads } = await listed({ contact: '+1' })
  assert.deepEqual([threads[0]?.calls.length, threads[0]?.turns.length], [callsOfOne, 200])
  assert.ok((reads[0] ?? 0) < 3 * callsOfOne + 1000, `${reads[0]} rows`)
})
