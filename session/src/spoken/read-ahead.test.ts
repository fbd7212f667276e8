import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAhead } from './read-ahead.ts'

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A source that counts what was taken of it. */
function counted(most: number, failsAt = Infinity) {
  const source = { taken: 0, isOver: false, pieces: pieces() }
  async function* pieces() {
    try {
      for (let at = 0; at < most; at += 1) {
        if (at === failsAt) throw new Error('it broke')
        source.taken += 1
        yield at
      }
    } finally {
      source.isOver = true
    }
  }
  return source
}

test('pieces are taken before they are asked for, up to a limit, and come in order', async () => {
  const source = counted(10)
  const reader = readAhead(source.pieces, 3)[Symbol.asyncIterator]()
  assert.equal((await reader.next()).value, 0)
  await turn()
  assert.equal(source.taken, 4)
  const rest: number[] = []
  for (let next = await reader.next(); !next.done; next = await reader.next()) rest.push(next.value)
  assert.deepEqual(rest, [1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('a failure comes after what was taken before it', async () => {
  const taken: number[] = []
  await assert.rejects(async () => {
    for await (const piece of readAhead(counted(10, 2).pieces, 5)) taken.push(piece)
  }, /it broke/)
  assert.deepEqual(taken, [0, 1])
})

test('a reader that leaves ends the source', async () => {
  const source = counted(10)
  for await (const piece of readAhead(source.pieces, 2)) if (piece === 1) break
  await turn()
  assert.ok(source.isOver)
  assert.ok(source.taken <= 4, `${source.taken}`)
})
