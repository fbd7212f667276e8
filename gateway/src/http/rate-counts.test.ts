import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'
import { minuteMs } from '../foundation/clock.ts'
import { Refusal } from '../foundation/refusals.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const second = await deployment.another()

const fiveAMinute = { name: 'tries', tries: 5, windowMs: minuteMs }
const attempt = (who: string, { gateway } = deployment) =>
  gateway.services.rateCounts.admit(
    fiveAMinute,
    [who, '203.0.113.9'],
    `too many attempts for ${who}: try again in a minute`,
  )

test('of 20 tries at the same time over two gateways exactly five are admitted (ID-44, ID-69)', async () => {
  const tries = Array.from({ length: 20 }, (_, n) => attempt('ana', n % 2 ? deployment : second))
  const settled = await Promise.allSettled(tries)
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 5)
  for (const result of settled)
    if (result.status === 'rejected') {
      assert.ok(result.reason instanceof Refusal)
      assert.equal(result.reason.status, 429)
      assert.equal(result.reason.message, 'too many attempts for ana: try again in a minute')
      assert.match(result.reason.headers['retry-after'] ?? '', /^(5\d|60)$/)
    }
})

test('a refused try is not counted, so the wait does not grow (ID-69, T-08)', async () => {
  for (let n = 0; n < 5; n += 1) await attempt('bo')
  deployment.clock.forward(30_000)
  const waits: number[] = []
  for (let n = 0; n < 10; n += 1)
    await assert.rejects(attempt('bo'), (refusal: Refusal) => {
      waits.push(Number(refusal.headers['retry-after']))
      return refusal.status === 429
    })
  const [first = 0] = waits
  assert.ok(first >= 1 && first <= 30, `${first} s`)
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => b - a),
  )
  deployment.clock.forward(first * 1000)
  await attempt('bo')
})

test('the window slides: a try is free again one minute after it was admitted (ID-69)', async () => {
  await attempt('cy')
  deployment.clock.forward(30_000)
  for (let n = 0; n < 4; n += 1) await attempt('cy')
  await assert.rejects(attempt('cy'), { status: 429 })
  deployment.clock.forward(30_001)
  await attempt('cy')
  await assert.rejects(attempt('cy'), { status: 429 })
})

test('what is counted is kept as a digest, never as the address (ID-44)', async () => {
  await attempt('dora@example.com')
  const { rows } = await deployment.sql(`select encode(subject, 'escape') as subject from rate_counts`)
  assert.equal(JSON.stringify(rows).includes('dora'), false)
})
