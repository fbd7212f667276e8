import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { meanStrengthOf, sine } from '@switchroom/audio/testing/tones'
import { loudPart, RtpPhone, soundIn } from '../../testing/rtp-phone.ts'
import type { Leg, LegEnd } from '../leg.ts'
import { RtpLeg } from '../rtp/rtp-leg.ts'
import { bridge } from './bridge.ts'
import { HeardFrames } from './heard-frames.ts'
import { Playout } from './playout.ts'

async function party(t: TestContext) {
  const phone = await RtpPhone.ring()
  const leg = await RtpLeg.open(phone.terms, {
    hangUp: async () => {},
    transfer: async () => {},
    ended: new Promise<LegEnd>(() => {}),
  })
  t.after(async () => {
    await leg.hangUp()
    phone.close()
  })
  return { phone, leg }
}

/** A leg at another rate, as a browser's is. */
function wideLeg() {
  const [heard, playout, end] = [new HeardFrames(), new Playout(24_000), Promise.withResolvers<LegEnd>()]
  const leg: Leg = {
    sampleRate: 24_000,
    heard: () => heard.read(),
    play: (samples) => playout.play(samples),
    clear: () => playout.clear(),
    get playedMs() {
      return playout.playedMs
    },
    drained: () => playout.drained(),
    onTone: () => {},
    sendTones: async () => {},
    transfer: async () => {},
    hangUp: async () => {
      heard.end()
      end.resolve('hangup')
    },
    ended: end.promise,
  }
  return { leg, heard, playout }
}

test('two phones that are joined hear each other, and their keys, until one hangs up', async (t) => {
  const [anna, ben] = [await party(t), await party(t)]
  const joined = bridge(anna.leg, ben.leg)
  for (let at = 0; at < 8; at += 1) {
    anna.phone.say(sine(400, 160, 8000, at * 160))
    ben.phone.say(sine(900, 160, 8000, at * 160))
  }
  await ben.phone.until(() => loudPart(ben.phone.heard).length > 1000)
  await anna.phone.until(() => loudPart(anna.phone.heard).length > 1000)
  assert.ok(meanStrengthOf(400, soundIn(ben.phone.heard)) > 0.5)
  assert.ok(meanStrengthOf(900, soundIn(anna.phone.heard)) > 0.5)
  anna.phone.press(7, 90_000, true)
  await ben.phone.until((packets) =>
    packets.some(({ payloadType, payload }) => payloadType === 101 && payload[0] === 7),
  )
  await ben.leg.hangUp()
  await joined
  let isOver = false
  void anna.leg.ended.then(() => (isOver = true))
  await new Promise(setImmediate)
  assert.equal(isOver, false)
})

test('a phone and a browser are joined though their rates differ', async (t) => {
  const { phone, leg } = await party(t)
  const wide = wideLeg()
  const joined = bridge(leg, wide.leg)
  for (let at = 0; at < 10; at += 1) {
    phone.say(sine(400, 160, 8000, at * 160))
    wide.heard.put(sine(900, 480, 24_000, at * 480))
  }
  await phone.until(() => loudPart(phone.heard).length > 1000)
  assert.ok(meanStrengthOf(900, soundIn(phone.heard)) > 0.5)
  const frames: number[] = []
  while (loudPart(Int16Array.from(frames)).length < 3000) {
    await new Promise(setImmediate)
    frames.push(...(wide.playout.take(480) ?? []))
  }
  assert.ok(meanStrengthOf(400, loudPart(Int16Array.from(frames)), 24_000) > 0.5)
  await wide.leg.hangUp()
  await joined
})

test('what piles up between two who are joined is dropped: neither hears the other late', async (t) => {
  const { phone, leg } = await party(t)
  const wide = wideLeg()
  for (let at = 0; at < 100; at += 1) wide.heard.put(new Int16Array(480))
  const joined = bridge(leg, wide.leg)
  await phone.until(() => leg.playedMs > 0)
  await leg.drained()
  assert.ok(leg.playedMs <= 320, `${leg.playedMs} ms of 2000`)
  await leg.hangUp()
  wide.heard.put(new Int16Array(480))
  await joined
})
