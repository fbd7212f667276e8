import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { LogCursor } from './log-cursor.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const logs = await TestLogs.of(deployment)
const { log, liveLogs } = deployment.gateway.services

interface Hooks {
  onPage?: () => Promise<unknown>
}

/** A cursor with pages of three that keeps what it gives. */
function cursorOn(id: string, { onPage }: Hooks = {}) {
  const read: number[] = []
  const ephemeral: string[] = []
  const cursor = new LogCursor({
    log: id,
    liveLogs,
    read: (from, limit) => log.read(id, from, limit),
    onPage: async (entries) => {
      read.push(...entries.map(({ seq }) => seq))
      await onPage?.()
    },
    onLive: (entries) => {
      for (const { seq, type, isEphemeral } of entries)
        if (isEphemeral) ephemeral.push(type)
        else read.push(seq)
    },
    pageSize: 3,
  })
  return { cursor, read, ephemeral }
}

test('every entry comes once and in order, from the table and then live, while two gateways write', async () => {
  const call = await logs.open()
  await log.append(
    call,
    range(1, 8).map((n) => said(String(n))),
  )
  const { seq: written = 0 } = (await log.find(call.id)) ?? {}
  let isWriting = true
  const writing = Promise.all(
    [log, other.gateway.services.log].map(async (writer) => {
      for (let n = 0; n < 40; n += 1) await writer.append(call, [said(`more ${n}`)])
    }),
  ).finally(() => (isWriting = false))
  const { cursor, read } = cursorOn(call.id, { onPage: () => new Promise(setImmediate) })
  await cursor.start(0)
  await writing
  assert.equal(isWriting, false)
  await until('everything came', () => read.length >= written + 80)
  assert.deepEqual(read, range(1, written + 80))
  cursor.stop()
})

test('what is ephemeral comes live alone, and only to a cursor that is current', async () => {
  const call = await logs.open()
  await log.append(call, [said('first')])
  const { cursor, ephemeral } = cursorOn(call.id, {
    onPage: async () => log.show(call, [{ type: 'user.speaking', data: {} }]),
  })
  await cursor.start(0)
  assert.deepEqual([cursor.isCurrent, ephemeral], [true, []])
  log.show(call, [{ type: 'speech.started', data: {} }])
  assert.deepEqual(ephemeral, ['speech.started'])
  cursor.stop()
})

test('a cursor that is sent back reads the table again from there, and continues live', async () => {
  const call = await logs.open()
  await log.append(
    call,
    range(1, 5).map((n) => said(String(n))),
  )
  const { cursor, read } = cursorOn(call.id)
  const reached = await cursor.start(0)
  await cursor.restart(2)
  await log.append(call, [said('live')])
  assert.deepEqual(read, [...range(1, reached), ...range(3, reached), reached + 1])
  cursor.stop()
})

test('entries that were erased are passed over, at the end of the log too', async () => {
  const call = await logs.open()
  await log.append(
    call,
    range(1, 7).map((n) => said(String(n))),
  )
  const { seq = 0 } = (await log.find(call.id)) ?? {}
  await logs.erase(call, [2, seq - 1, seq])
  const { cursor, read } = cursorOn(call.id)
  assert.equal(await cursor.start(0), seq)
  await log.append(call, [said('live')])
  assert.deepEqual(read, [1, ...range(3, seq - 2), seq + 1])
  cursor.stop()
})

test('a cursor that is stopped in the middle of a page gives nothing more', async () => {
  const call = await logs.open()
  await log.append(
    call,
    range(1, 7).map((n) => said(String(n))),
  )
  const { cursor, read } = cursorOn(call.id, { onPage: async () => cursor.stop() })
  await cursor.start(0)
  await log.append(call, [said('live')])
  assert.deepEqual([cursor.isCurrent, read], [false, [1, 2, 3]])
})
