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
  const log = {
    read: async () => {
      tell([entryAt(3), entryAt(3, true)])
      tell([entryAt(4)])
      return [entryAt(1), entryAt(2), entryAt(3)]
    },
  }
  let grown = 0
  const followed = new FollowedLog('call', () => (grown += 1))
  assert.equal(followed.isRead, false)
  await followed.start(liveLogs as unknown as LiveLogs, log as unknown as Log)
  const seqs = () => followed.entries.map(({ seq }) => seq)
  assert.deepEqual([seqs(), grown, followed.isRead], [[1, 2, 3, 4], 1, true])
  const seen = followed.untilSeen(5)
  tell([entryAt(4), entryAt(5)])
  await seen
  assert.deepEqual([seqs(), grown], [[1, 2, 3, 4, 5], 2])
})

test('a log that cannot be read is followed no longer', async () => {
  let stops = 0
  const liveLogs = { follow: async () => ({ seq: 0, stop: () => (stops += 1) }) }
  const log = {
    read: async () => {
      throw new Error('the database is away')
    },
  }
  const followed = new FollowedLog('call', () => {})
  const starting = followed.start(liveLogs as unknown as LiveLogs, log as unknown as Log)
  followed.stop() // before there is anything to stop
  await assert.rejects(starting, { message: 'the database is away' })
  assert.equal(stops, 1)
})
