import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { Gathered } from './gathered.ts'

const turn = () => new Promise(setImmediate)

/** Answers when it is told to, with each number doubled. */
class Doubler {
  readonly asked: (readonly number[])[] = []
  readonly #answers: (() => void)[] = []
  readonly gathered: Gathered<number, number>

  constructor(mostUnderWay = 1) {
    this.gathered = new Gathered((asked: readonly number[]) => this.#ask(asked), 3, mostUnderWay)
  }

  async #ask(asked: readonly number[]): Promise<number[]> {
    this.asked.push(asked)
    await new Promise<void>((answer) => this.#answers.push(answer))
    if (asked.includes(13)) throw Object.assign(new DatabaseError('refused', 0, 'error'), { code: '22P02' })
    if (asked.includes(57)) throw Object.assign(new DatabaseError('too long', 0, 'error'), { code: '57014' })
    if (asked.includes(99)) throw new Error('gone')
    return asked.map((n) => 2 * n)
  }

  async answer() {
    while (this.#answers.length === 0) await turn()
    this.#answers.shift()?.()
  }
}

test('what is asked while a statement is under way goes into the next ones, each with as many as fit', async () => {
  const doubler = new Doubler()
  const first = doubler.gathered.one(1)
  await turn()
  const others = [2, 3, 4, 5].map((n) => doubler.gathered.one(n))
  await doubler.answer()
  assert.equal(await first, 2)
  await doubler.answer()
  await doubler.answer()
  assert.deepEqual(await Promise.all(others), [4, 6, 8, 10])
  assert.deepEqual(doubler.asked, [[1], [2, 3, 4], [5]])
})

test('what is asked in one turn goes together, and what comes later is asked later', async () => {
  const doubler = new Doubler()
  const both = [doubler.gathered.one(1), doubler.gathered.one(2)]
  await doubler.answer()
  assert.deepEqual(await Promise.all(both), [2, 4])
  const last = doubler.gathered.one(3)
  await doubler.answer()
  assert.equal(await last, 6)
  assert.deepEqual(doubler.asked, [[1, 2], [3]])
})

test('a statement that takes long leaves room for another', async () => {
  const doubler = new Doubler(2)
  const late = doubler.gathered.one(1)
  await turn()
  const next = doubler.gathered.one(2)
  await turn()
  const waiting = [3, 4].map((n) => doubler.gathered.one(n))
  await turn()
  assert.deepEqual(doubler.asked, [[1], [2]])
  for (let n = 0; n < 3; n += 1) await doubler.answer()
  assert.deepEqual(await Promise.all([late, next, ...waiting]), [2, 4, 6, 8])
  assert.deepEqual(doubler.asked, [[1], [2], [3, 4]])
})

test('a value that PostgreSQL refuses fails alone; a lost connection and a statement that takes too long fail all that were asked together', async () => {
  const doubler = new Doubler()
  const asked = [1, 13, 2].map((n) => doubler.gathered.one(n))
  const outcomes = Promise.allSettled(asked)
  for (let n = 0; n < 4; n += 1) await doubler.answer()
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  for (const failing of [99, 57]) {
    const lost = Promise.allSettled([3, failing].map((n) => doubler.gathered.one(n)))
    await doubler.answer()
    assert.deepEqual(
      (await lost).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  }
})
