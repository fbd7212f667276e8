import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { Gathered } from './gathered.ts'

/** Answers when it is told to, with each number doubled. */
class Doubler {
  readonly asked: (readonly number[])[] = []
  readonly #answers: (() => void)[] = []
  readonly gathered = new Gathered((asked: readonly number[]) => this.#ask(asked), 3)

  async #ask(asked: readonly number[]): Promise<number[]> {
    this.asked.push(asked)
    await new Promise<void>((answer) => this.#answers.push(answer))
    if (asked.includes(13)) throw new DatabaseError('refused', 0, 'error')
    if (asked.includes(99)) throw new Error('gone')
    return asked.map((n) => 2 * n)
  }

  async answer() {
    while (this.#answers.length === 0) await Promise.resolve()
    this.#answers.shift()?.()
  }
}

test('what is asked while a statement is under way goes into the next ones, each with as many as fit', async () => {
  const doubler = new Doubler()
  const first = doubler.gathered.one(1)
  await Promise.resolve()
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

test('a value that PostgreSQL refuses fails alone; a lost connection fails all that were asked together', async () => {
  const doubler = new Doubler()
  const asked = [1, 13, 2].map((n) => doubler.gathered.one(n))
  const outcomes = Promise.allSettled(asked)
  for (let n = 0; n < 4; n += 1) await doubler.answer()
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const lost = Promise.allSettled([3, 99].map((n) => doubler.gathered.one(n)))
  await doubler.answer()
  assert.deepEqual(
    (await lost).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
})
