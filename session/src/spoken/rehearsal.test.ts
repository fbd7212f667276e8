import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dispose } from '@livekit/rtc-node'
import { rehearse } from './rehearsal.ts'

after(() => dispose()) // LiveKit's native half keeps a process alive

test('a rehearsal is over once a caller whom nobody plays was greeted, understood and answered', async () => {
  await rehearse(AbortSignal.timeout(60_000))
})

test('a rehearsal that is given up says so', async () => {
  await assert.rejects(rehearse(AbortSignal.abort(new Error('too late'))), new Error('too late'))
})
