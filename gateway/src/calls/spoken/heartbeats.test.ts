import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { statement } from '../../database/database.ts'
import { secondMs } from '../../foundation/clock.ts'
import { heartbeats, setHeartbeats } from './spoken-calls.store.ts'

const bytesOfCommit = 64

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()

const beatsOf = async (call: string) => {
  const { rows } = await sql(
    `select c.beat_at as of_call, h.beat_at as last from calls c left join call_heartbeats h on h.call = c.id
     where c.id = $1`,
    [call],
  )
  return rows[0] as { of_call: string | null; last: string | null }
}
const beatLater = async (call: string) => {
  clock.forward(2 * secondMs)
  done(await desk.append(call, []))
}

test('a heartbeat of a call writes fewer than 300 bytes ahead, with its commit (ND-97)', async () => {
  const call = await desk.open()
  const written: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const { rows } = await sql(`explain (analyze, wal, format json) ${heartbeats.text}`, [
      [call],
      [clock.now()],
    ])
    written.push(rows[0]['QUERY PLAN'][0].Plan['WAL Bytes'] + bytesOfCommit)
  }
  // The least of them: the first change of a page after a checkpoint writes the whole page.
  assert.ok(Math.min(...written) > bytesOfCommit && Math.min(...written) < 300, written.join(' '))
})

test('a call that a worker runs has a heartbeat until it ends (ND-97)', async () => {
  const call = await desk.open()
  const first = await beatsOf(call)
  assert.ok(first.last !== null && first.of_call === first.last)
  await beatLater(call)
  const second = await beatsOf(call)
  assert.equal(second.of_call, first.of_call)
  assert.ok(Date.parse(String(second.last)) >= Date.parse(first.last) + 2 * secondMs)
  done(await desk.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  assert.deepEqual(await beatsOf(call), { of_call: null, last: null })
})

test('beside a gateway of an earlier version, each sees the heartbeats that the other writes (ND-97)', async () => {
  const call = await desk.open()
  // As an earlier version lists itself, and as it writes a heartbeat.
  await sql(`insert into gateways (id, seen_at) values ('gw_earlier', $1)`, [clock.now()])
  await beatLater(call)
  const shared = await beatsOf(call)
  assert.ok(shared.last !== null && shared.of_call === shared.last)
  const theirs = new Date(clock.now().getTime() + 5 * secondMs).toISOString()
  await sql('update calls set beat_at = $2 where id = $1', [call, theirs])
  assert.deepEqual(await beatsOf(call), { of_call: theirs, last: theirs })

  await sql(`delete from gateways where id = 'gw_earlier'`)
  clock.forward(10 * secondMs)
  await beatLater(call)
  assert.equal((await beatsOf(call)).of_call, theirs)
})

test('a heartbeat waits for no disk, and leaves a transaction that it is part of as safe as it was', async () => {
  const call = await desk.open()
  const { database } = deployment.gateway.services
  const beats = [{ id: call, at: clock.now() }]
  const safety = statement<{ synchronous_commit: string }>('show synchronous_commit')
  const before = await database.row(safety)
  await database.transaction(async (tx) => {
    await setHeartbeats(tx, beats)
    assert.deepEqual(await tx.row(safety), before)
  })
  await setHeartbeats(database, beats)
  assert.deepEqual(await database.row(safety), before)
})
