import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { callLog, type LogRef } from './entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const token = (await org.serverToken('sandbox')).client
const { log } = deployment.gateway.services

async function newLog(): Promise<LogRef> {
  const { body } = await token.post('/v1/calls', { agent: 'desk', channel: 'chat' })
  return callLog({ id: body.call, org: org.id, env: 'sandbox', agent: 'desk' })
}
const said = (text: string) => ({ type: 'user.message', data: { text, messageId: text } })
const rowsOf = async (id: string) =>
  (await deployment.sql('select seq, type, entry from entries where log = $1 order by seq', [id])).rows
const follow = async ({ gateway }: Deployment, id: string) => {
  const seen: { seq: number; type: string; entry: string }[] = []
  const { stop, seq } = await gateway.services.liveLogs.follow(id, (entries) => seen.push(...entries))
  return { seen, stop, seq }
}

test('entries are kept as they are shown, stamped with cursor, time, call and agent (N-408, N-494)', async () => {
  const ref = await newLog()
  const [first, second] = await log.append(ref, [said('hello'), { type: 'error', data: { code: 'quota' } }])
  assert.ok(first && second)
  const entry = JSON.parse(first.entry)
  assert.deepEqual(Object.keys(entry), ['seq', 'ts', 'call', 'agent', 'type', 'ephemeral', 'data'])
  assert.deepEqual(
    { ...entry, ts: 0 },
    {
      seq: 1,
      ts: 0,
      call: ref.id,
      agent: 'desk',
      type: 'user.message',
      ephemeral: false,
      data: { text: 'hello', messageId: 'hello' },
    },
  )
  assert.ok(Math.abs(entry.ts - Date.now() / 1000) < 30)
  assert.deepEqual(await rowsOf(ref.id), [first, second])
  const { rows } = await deployment.sql('select errors, turns from calls where id = $1', [ref.id])
  assert.deepEqual(rows, [{ errors: 1, turns: 1 }])
})

test('two gateways that write to one log at once give every entry its own place, and readers of both see all in order (N-495, ND-103, T-92)', async () => {
  await using other = await deployment.another()
  const ref = await newLog()
  const readers = [await follow(deployment, ref.id), await follow(other, ref.id)]
  const writers = [log, other.gateway.services.log]
  const appended: Promise<{ seq: number }[]>[] = []
  for (let n = 0; n < 100; n += 1)
    for (const [w, writer] of writers.entries())
      appended.push(writer.append(ref, [said(`${w}:${n}:a`), said(`${w}:${n}:b`)]))
  const seqs = (await Promise.all(appended)).flat().map(({ seq }) => seq)
  const all = Array.from({ length: 400 }, (_, n) => n + 1)
  assert.deepEqual(
    seqs.toSorted((a, b) => a - b),
    all,
  )
  const kept = await rowsOf(ref.id)
  assert.deepEqual(
    kept.map(({ seq }) => seq),
    all,
  )
  for (const { seen, stop } of readers) {
    await until('a reader has seen all', () => seen.length >= 400)
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      all,
    )
    assert.deepEqual(
      seen.map(({ entry }) => entry),
      kept.map(({ entry }) => entry),
    )
    stop()
  }
})

test('a call that has ended refuses further entries, also those written concurrently (N-435)', async () => {
  const ref = await newLog()
  const ends = { type: 'call.ended', data: { reason: 'hangup' } }
  const results = await Promise.allSettled([
    log.append(ref, [said('a')]),
    log.append(ref, [ends]),
    log.append(ref, [said('late')]),
    log.append(ref, [ends]),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  await assert.rejects(log.append(ref, [said('later')]), { message: 'this call has ended' })
  assert.deepEqual(
    (await rowsOf(ref.id)).map(({ type }) => type),
    ['user.message', 'call.ended'],
  )
  const { rows } = await deployment.sql(
    'select state, reason, ended_at is not null as has_ended from calls where id = $1',
    [ref.id],
  )
  assert.deepEqual(rows, [{ state: 'ended', reason: 'hangup', has_ended: true }])
})

test('a gateway whose call another has taken up writes to it no more', async () => {
  const ref = await newLog()
  await deployment.sql(`update logs set runner = 'gw_other' where id = $1`, [ref.id])
  await assert.rejects(log.append(ref, [said('mine')], 'gw_mine'), { message: 'this call has ended' })
  await log.append(ref, [said('theirs')], 'gw_other')
  assert.equal((await rowsOf(ref.id)).length, 1)
})

test('what is shown live reaches readers on every gateway with the cursor before it, and is never kept (ND-103, ND-106)', async () => {
  await using other = await deployment.another()
  const ref = await newLog()
  await log.append(ref, [said('one')])
  const readers = [await follow(deployment, ref.id), await follow(other, ref.id)]
  log.show(ref, [{ type: 'user.speaking', data: { text: 'tw' } }])
  for (const { seen, stop } of readers) {
    const shown = await until('it is shown', () => seen[0])
    assert.equal(shown.type, 'user.speaking')
    const { seq, ephemeral } = JSON.parse(shown.entry)
    assert.deepEqual([seq, ephemeral], [1, true])
    stop()
  }
  assert.equal((await rowsOf(ref.id)).length, 1)
})

test('the database itself refuses to change or delete an entry', async () => {
  const ref = await newLog()
  await log.append(ref, [said('stays')])
  const stays = /a log keeps what it holds/
  await assert.rejects(deployment.sql(`update entries set type = 'x' where log = $1`, [ref.id]), stays)
  await assert.rejects(deployment.sql('delete from entries where log = $1', [ref.id]), stays)
  await assert.rejects(deployment.sql('truncate entries'), /keeps what it holds/)
  assert.equal((await rowsOf(ref.id)).length, 1)
})

test('words that no database could read again are kept without the halves of characters', async () => {
  const ref = await newLog()
  const [kept] = await log.append(ref, [said('a\0b\ud800c \\u0000')])
  assert.equal(JSON.parse(kept?.entry ?? '').data.text, 'ab�c \\u0000')
})
