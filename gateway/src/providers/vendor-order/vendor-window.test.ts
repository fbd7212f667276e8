import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../testing/clock.ts'
import { VendorWindow } from './vendor-window.ts'

const minuteMs = 60_000

function windowAfter(handed: number, failed: number) {
  const clock = new TestClock()
  const window = new VendorWindow(clock, 2 * minuteMs)
  for (let call = 0; call < handed; call += 1) window.handed('ears', `call_${call}`)
  for (let call = 0; call < failed; call += 1) window.failed('ears', `call_${call}`)
  return { clock, window }
}

test('a vendor is over the line when half or more of at least five calls saw it fail (S-144, ST-085, SD-54)', () => {
  const table = [
    { handed: 5, failed: 3, over: true },
    { handed: 6, failed: 3, over: true },
    { handed: 5, failed: 2, over: false },
    { handed: 6, failed: 2, over: false },
    { handed: 4, failed: 4, over: false },
  ]
  for (const { handed, failed, over } of table)
    assert.equal(windowAfter(handed, failed).window.isOverLine('ears'), over, `${failed} of ${handed}`)
})

test('a call counts once, however often it was handed a vendor and saw it fail (SD-54, ST-086)', () => {
  const { window } = windowAfter(6, 2)
  for (let again = 0; again < 3; again += 1) {
    window.handed('ears', 'call_0')
    window.failed('ears', 'call_0')
  }
  assert.equal(window.isOverLine('ears'), false)
  window.failed('ears', 'call_5')
  assert.equal(window.isOverLine('ears'), true)
})

test('a failure of a call that was not handed the vendor first counts for nothing (SD-54, ST-087)', () => {
  const { window } = windowAfter(5, 2)
  for (let call = 0; call < 5; call += 1) window.failed('ears', `named_its_own_${call}`)
  assert.equal(window.isOverLine('ears'), false)
})

test('a vendor returns to its place when its failures leave the two minutes (S-145)', () => {
  const { clock, window } = windowAfter(6, 6)
  clock.forward(2 * minuteMs - 1_000)
  assert.equal(window.isOverLine('ears'), true)
  clock.forward(1_000)
  assert.equal(window.isOverLine('ears'), false)
})

test('failing vendors go behind every healthy one and never away, and all failing is the order of the row (S-143, SD-54, ST-088)', () => {
  const { window } = windowAfter(6, 6)
  const chain = ['ears', 'b', 'c'].map((vendor) => ({ vendor }))
  const order = () => window.ordered(chain).map(({ vendor }) => vendor)
  assert.deepEqual(order(), ['b', 'c', 'ears'])
  for (const vendor of ['b', 'c'])
    for (let call = 0; call < 5; call += 1) {
      window.handed(vendor, `call_${call}`)
      window.failed(vendor, `call_${call}`)
    }
  assert.deepEqual(order(), ['ears', 'b', 'c'])
})

test('calls that left the window are forgotten', () => {
  const { clock, window } = windowAfter(6, 6)
  clock.forward(3 * minuteMs)
  for (let call = 0; call < 5; call += 1) window.handed('ears', `call_${call}`)
  assert.equal(window.isOverLine('ears'), false)
})
