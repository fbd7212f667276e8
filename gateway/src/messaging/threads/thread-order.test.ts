import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ThreadList } from '@switchroom/contract/threads'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { callLog } from '../../calls/log/entries.ts'
import { CallBackfill } from '../../calls/backfills/backfill.ts'
import { cursorOf } from '../../foundation/cursors.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Caller } from '../../foundation/caller.ts'
import { deriveTouches, Threads } from './threads.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, clock } = deployment
const { database, log, readReceipts, threads } = deployment.gateway.services
const go = new AbortController().signal

/** An org with calls of so many contacts, each a second after the one before; the last one's thread comes first. */
async function newThreads(contacts: number) {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  const contactOf = (n: number) => `+3460000${String(n).padStart(4, '0')}`
  const ref = (n: number) =>
    callLog({ id: `call_${org.id}_${n}`, org: org.id, env: 'sandbox', agent: 'desk' })
  for (let n = 1; n <= contacts; n += 1) {
    clock.forward(secondMs)
    await sql(
      `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, contact)
       values ($1, $2, 'desk', 'sandbox', '', 'msgapp', $3, '[]', false, $4)`,
      [ref(n).id, org.id, clock.now(), contactOf(n)],
    )
    await log.open(database, ref(n))
  }
  const page = async (query: string): Promise<ThreadList> =>
    done(await client.get(`/v1/agents/desk/threads${query}`))
  const say = async (n: number, text: string) => {
    clock.forward(secondMs)
    await log.append(ref(n), [{ type: 'user.message', data: { text, messageId: text } }])
  }
  const rows = async (table: string) =>
    (await sql(`select contact from ${table} where org = $1 order by contact`, [org.id])).rows.map(
      ({ contact }) => contact,
    )
  return { org, client, contactOf, page, say, rows }
}

const contactsOf = ({ threads: listed }: ThreadList) => listed.map(({ contact }) => contact)

test('threads are read page by page, each once, and all of them without a limit (N-327, ND-02)', async () => {
  const { client, contactOf, page, say } = await newThreads(7)
  await say(2, 'hello')
  const all = [2, 7, 6, 5, 4, 3, 1].map(contactOf)
  for (const isFolded of [false, true]) {
    if (isFolded) await threads.foldTouches()
    const whole = await page('')
    assert.deepEqual([contactsOf(whole), 'next' in whole], [all, false])
    const first = await page('?limit=3')
    const second = await page(`?limit=3&after=${first.next}`)
    const third = await page(`?limit=3&after=${second.next}`)
    assert.deepEqual([first, second, third].map(contactsOf), [all.slice(0, 3), all.slice(3, 6), all.slice(6)])
    assert.equal(third.next, null)
  }
  const at = '/v1/agents/desk/threads'
  refused(await client.get(`${at}?limit=0`), 422, 'limit: must be 1 to 100')
  refused(await client.get(`${at}?limit=101`), 422, 'limit: must be 1 to 100')
  refused(await client.get(`${at}?after=nonsense`), 422, 'after: must be the next of the page before')
  refused(
    await client.get(`${at}?after=${cursorOf('a', 'b')}`),
    422,
    'after: must be the next of the page before',
  )
})

test('what happens while pages are read moves a thread to the first page, and no other thread is left out (N-327)', async () => {
  const { contactOf, page, say } = await newThreads(5)
  await threads.foldTouches()
  const first = await page('?limit=2')
  await say(1, 'hello')
  const second = await page(`?limit=2&after=${first.next}`)
  assert.deepEqual(contactsOf(second), [3, 2].map(contactOf))
  assert.equal(second.next, null)
  assert.deepEqual(contactsOf(await page('?limit=2')), [1, 5].map(contactOf))
})

test('two gateways that fold at once while calls write leave every thread where its last turn put it', async () => {
  const { contactOf, page, say, rows } = await newThreads(6)
  const order = [3, 1, 5, 2, 6, 4, 1, 3]
  for (const n of order)
    await Promise.all([
      say(n, `turn ${n}`),
      threads.foldTouches(),
      other.gateway.services.threads.foldTouches(),
    ])
  await threads.foldTouches()
  assert.deepEqual(await rows('thread_touches'), [])
  assert.deepEqual(contactsOf(await page('?limit=10')), [3, 1, 4, 6, 2, 5].map(contactOf))
})

test('a contact that is erased has no thread, and no row of one is left (ND-69)', async () => {
  const { org, contactOf, page, say, rows } = await newThreads(3)
  const { client } = await org.person('manager', { production: true })
  await threads.foldTouches()
  await say(2, 'hello')
  assert.equal((await client.delete(`/v1/contacts/${encodeURIComponent(contactOf(2))}`)).status, 204)
  assert.deepEqual(contactsOf(await page('?limit=10')), [3, 1].map(contactOf))
  await threads.foldTouches()
  assert.deepEqual([await rows('threads'), await rows('thread_touches')], [[1, 3].map(contactOf), []])
})

test('threads from before their table are listed before, and once their rows are filled in', async () => {
  const { org, contactOf, say } = await newThreads(4)
  await say(1, 'hello')
  await sql(`delete from thread_touches where org = $1`, [org.id])
  await sql(`delete from threads where org = $1`, [org.id])
  await sql(`update call_backfills set reached = '', done_at = null where name = 'threads'`)
  const backfill = new CallBackfill(database, clock, 'threads', deriveTouches)
  const listing = new Threads(database, clock, readReceipts, () => backfill.isDone())
  const list = async () => {
    let text = ''
    const caller = { org: org.id, env: 'sandbox', kind: 'server' } as Caller
    for await (const piece of await listing.list(caller, 'desk', { limit: '3' })) text += piece
    return contactsOf(JSON.parse(text) as ThreadList)
  }
  const newest = [1, 4, 3].map(contactOf)
  assert.deepEqual([await list(), await backfill.isDone()], [newest, false])
  await backfill.run(go)
  assert.deepEqual([await list(), await backfill.isDone()], [newest, true])
  await threads.foldTouches()
  assert.deepEqual(await list(), newest)
})
