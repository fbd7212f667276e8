import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookUps } from './look-ups.ts'

const asked = (...forms: string[]) => forms.map((form) => ({ forms: [form], looser: [], inCompounds: [] }))
const inBase = (having: Record<string, number>, things: ReturnType<typeof asked>, chunks = 100_000) =>
  lookUps(7, chunks, things, new Map(Object.entries(having)), new Map())

test('rare words find the candidates, however frequent the others are', () => {
  const found = inBase({ price: 15_000, bread: 9_000, croissant: 12 }, asked('price', 'bread', 'croissant'))
  assert.deepEqual(found?.lookups, [
    `'7/croissant'`,
    `('7/croissant') & ('7/bread') & ('7/price')`,
    `('7/croissant') & ('7/bread')`,
  ])
  assert.deepEqual(found?.exact, [`'7/croissant'`, `'7/bread'`, `'7/price'`])
  assert.equal(found.everywhere, null)
  const one = inBase({ price: 90_000, croissant: 12 }, asked('price', 'croissant'))
  assert.deepEqual(one?.lookups, [`'7/croissant'`])
})

test('words that are all frequent are looked up together and in headings, and few chunks of them are ranked', () => {
  const found = inBase({ price: 16_000, product: 19_000, '^price': 40 }, asked('price', 'product'))
  assert.deepEqual(found?.lookups, [`'7/^price'`, `('7/price') & ('7/product')`])
  const alone = inBase({ price: 16_000 }, asked('price'))
  assert.deepEqual(alone?.lookups, [`('7/price')`])
  for (const limits of [found?.limits, alone?.limits])
    assert.ok((limits ?? []).reduce((sum, limit) => sum + limit, 0) <= 2_000)
})

test('words that are nearly everywhere are looked for in the first chunks alone', () => {
  const found = inBase({ price: 60_000, product: 90_000 }, asked('price', 'product'))
  assert.deepEqual([found?.lookups, found?.everywhere], [[], `'7/price' | '7/product'`])
})

test('weights are shares of the whole question: rare words weigh more, and what the base does not have as much as the rarest', () => {
  const { weights = [] } =
    inBase({ price: 60_000, croissant: 1 }, asked('price', 'croissant', 'unicorn')) ?? {}
  const [croissant = 0, price = 0] = weights
  assert.ok(croissant > price)
  assert.ok(Math.abs(2 * croissant + price - 1) < 1e-9)
})

test('a long question is its sixteen rarest words', () => {
  const words = Array.from({ length: 64 }, (_, n) => `w${n}`)
  const found = inBase(Object.fromEntries(words.map((word, n) => [word, n + 1])), asked(...words))
  assert.equal(found?.exact.length, 16)
  assert.ok(found.exact.includes(`'7/w0'`) && !found.exact.includes(`'7/w63'`))
})

test('nothing is looked up for words that the base does not have', () => {
  assert.equal(inBase({}, asked('unicorn')), undefined)
})
