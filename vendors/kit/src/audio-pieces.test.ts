import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizedPieces, type PieceMs } from './audio-pieces.ts'
import type { LiveAudio } from './vendor.ts'

async function* of(pieces: LiveAudio[]): AsyncIterable<LiveAudio> {
  yield* pieces
}

const counted = (length: number) => Uint8Array.from({ length }, (_, at) => at % 251)

/** At 1,000 samples a second a millisecond is two bytes. */
async function sized(pieces: LiveAudio[], sizes?: PieceMs): Promise<LiveAudio[]> {
  return Array.fromAsync(sizedPieces(of(pieces), 1_000, sizes))
}

const lengths = (pieces: LiveAudio[]) => pieces.map((piece) => (piece === 'finalize' ? piece : piece.length))

test('pieces pass unchanged if a vendor takes any length', async () => {
  assert.deepEqual(lengths(await sized([counted(2), counted(400), 'finalize'])), [2, 400, 'finalize'])
})

test('a sample that was split is joined, and half a sample at the end is nothing (ST-105)', async () => {
  const pieces = await sized([counted(3), counted(3), counted(3), counted(2)])
  const joined = Buffer.concat([counted(3), counted(3), counted(3), counted(2)])
  assert.deepEqual(
    Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array))),
    joined.subarray(0, 10),
  )
  for (const piece of pieces) assert.equal(piece.length % 2, 0)
})

test('what is too short waits for more, what is too long is cut', async () => {
  const pieces = await sized([counted(60), counted(60), counted(2_500)], { least: 50, most: 1_000 })
  assert.deepEqual(lengths(pieces), [120, 2_000, 500])
})

test('what is left at a finalize and at the end is filled up with silence', async () => {
  const sizes = { least: 50, most: 1_000 }
  const pieces = await sized([counted(60), 'finalize', 'finalize', counted(20)], sizes)
  assert.deepEqual(lengths(pieces), [100, 'finalize', 'finalize', 100])
  assert.deepEqual(Buffer.from(pieces[3] as Uint8Array), Buffer.concat([counted(20)], 100))
})

test('nothing is made of nothing', async () => {
  assert.deepEqual(await sized([], { least: 50, most: 1_000 }), [])
  assert.deepEqual(await sized([counted(0)], { least: 50, most: 1_000 }), [])
})
