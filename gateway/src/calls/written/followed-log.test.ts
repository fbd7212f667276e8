import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../log/log.ts'
import type { Follower, ShownEntry, LiveLogs } from '../log/live-logs.ts'
import { FollowedLog } from './followed-log.ts'

const entryAt = (seq: number, isEphemeral = false): ShownEntry => {
  const entry = JSON.stringify({ seq, type: 'user.message', data: {} })
  return { seq, type: 'user.message', entry, isEphemeral, frame: Buffer.from(entry) }
}

test('what comes while the log is read is neither lost nor read twice, and what is never kept is left out', async () => {
  let tell: Follower = () => {}
  const liveLogs = {
    follow: async (_log: string, follower: Follower) => {
      tell = follower
      return { seq: 2, stop: () => {} }
    },
  }
  const table = [entryAt(1), entryAt(2), entryAt(3)]
  const log = {
    read: async (_id: string, after: number) => {
      const page = table.filter(({ seq }) => seq > after)
      if (after === 0) {
        tell([entryAt(3), entryAt(3, true)])
        tell([entryAt(4)])
        table.push(entryAt(4))
      }
      return page
    },
  }
  let grown = 0
  const parts = { liveLogs: liveLogs as unknown as LiveLogs, log: log as unknown as Log }
  const followed = new FollowedLog('call', parts, () => (grown += 1))
  assert.equal(followed.isRead, false)
  await followed.start()
  const seqs = () => followed.entries.map(({ seq }) => seq)
  assert.deepEqual([seqs(), grown, followed.isRead], [[1, 2, 3, 4], 1, true])
  const seen = followed.untilSeen(5)
  tell([entryAt(4), entryAt(5)])
  await seen
  assert.deepEqual([seqs(), grown], [[1, 2, 3, 4, 5], 2])
})

test('a log that cannot be read is followed no longer', async () => {
  let stops = 0
  const liveLogs = { follow: async () => ({ seq: 1, stop: () => (stops += 1) }) }
  const log = {
    read: async () => {
      throw new Error('the database is away')
    },
  }
  const parts = { liveLogs: liveLogs as unknown as LiveLogs, log: log as unknown as Log }
  await assert.rejects(new FollowedLog('call', parts, () => {}).start(), { message: 'the database is away' })
  assert.equal(stops, 1)
})

test('a log that is left before it is followed is followed no longer', async () => {
  let stops = 0
  const liveLogs = { follow: async () => ({ seq: 1, stop: () => (stops += 1) }) }
  const log = { read: async () => assert.fail('nothing is read for a reader that has left') }
  const parts = { liveLogs: liveLogs as unknown as LiveLogs, log: log as unknown as Log }
  const followed = new FollowedLog('call', parts, () =>
    assert.fail('nothing grows for a reader that has left'),
  )
  const starting = followed.start()
  followed.stop()
  await starting
  assert.equal(stops, 1)
})
