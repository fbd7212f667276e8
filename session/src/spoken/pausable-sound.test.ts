import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sound } from '@switchroom/contract/sound'
import { PausableSound } from './pausable-sound.ts'

const frame = 160

/** A leg that plays a frame when a test says so. */
class SteppedLeg implements Sound {
  readonly sampleRate = 8_000
  readonly played: number[] = []
  #waiting: number[] = []
  #drained: (() => void)[] = []

  get playedMs(): number {
    return this.played.length / 8
  }

  async *heard(): AsyncIterable<Int16Array> {}

  async play(samples: Int16Array) {
    this.#waiting.push(...samples)
  }

  step() {
    this.played.push(...this.#waiting.splice(0, frame))
    if (this.#waiting.length === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  clear() {
    this.#waiting = []
    for (const resolve of this.#drained.splice(0)) resolve()
  }

  drained(): Promise<void> {
    return this.#waiting.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#drained.push(resolve))
  }

  onTone() {}

  async sendTones() {}
}

const numbered = (from: number, length: number) => Int16Array.from({ length }, (_, n) => from + n)

test('what was not played before a pause is played after it, each sample once', async () => {
  const leg = new SteppedLeg()
  const sound = new PausableSound(leg)
  void sound.play(numbered(0, 400))
  leg.step()
  sound.pause()
  leg.step()
  assert.equal(leg.played.length, frame, 'nothing is played during a pause')
  let isTaken = false
  const given = sound.play(numbered(400, 240)).then(() => (isTaken = true))
  await Promise.resolve()
  assert.equal(isTaken, false, 'more is taken after the pause')
  sound.resume()
  await given
  for (let n = 0; n < 3; n += 1) leg.step()
  assert.deepEqual(leg.played, [...numbered(0, 640)])
})

test('a pause is not the end of what is played, and clearing is', async () => {
  const leg = new SteppedLeg()
  const sound = new PausableSound(leg)
  void sound.play(numbered(0, 400))
  let drained = 0
  void sound.drained().then(() => (drained += 1))
  sound.pause()
  await new Promise((resolve) => void setImmediate(resolve))
  assert.equal(drained, 0)
  sound.clear()
  await new Promise((resolve) => void setImmediate(resolve))
  assert.equal(drained, 1)
  sound.resume()
  leg.step()
  assert.deepEqual(leg.played, [])
})
