import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { meanStrengthOf, sine, strengthOf } from '@switchroom/audio/testing/tones'
import { strangersOffer } from '../../testing/strangers-offer.ts'
import { BrowserCaller } from '../../testing/webrtc-browser.ts'
import { MediaError } from '../plane.ts'
import { type AnswerOptions, answerOffer } from './answer-offer.ts'
import type { BrowserLeg } from './browser-leg.ts'

const skip = BrowserCaller.isInstalled ? false : 'no Chromium is installed'

async function browserCall(t: TestContext, options: AnswerOptions = {}) {
  const answered = Promise.withResolvers<{ leg: BrowserLeg; sdp: string }>()
  let leg: BrowserLeg | undefined
  const caller = await BrowserCaller.call(sine(440, 96_000, 48_000), async (offer) => {
    const again = leg?.reconnect(offer)
    if (again !== undefined) return again
    const answer = await answerOffer(offer, options)
    leg = answer.leg
    answered.resolve(answer)
    return answer.sdp
  })
  t.after(async () => {
    await caller.stop()
    await (await answered.promise).leg.hangUp()
  })
  return { caller, ...(await answered.promise) }
}

/** So much of what is heard, from when this frequency is in it. */
async function heardWith(leg: BrowserLeg, hz: number, frames: number): Promise<Int16Array> {
  const heard: Int16Array[] = []
  for await (const frame of leg.heard()) {
    if (heard.length === 0 && strengthOf(hz, frame, leg.sampleRate) < 0.2) continue
    heard.push(frame)
    if (heard.length === frames) break
  }
  return Int16Array.from(heard.flatMap((frame) => [...frame]))
}

for (const sampleRate of [16_000, 24_000] as const)
  test(
    `a browser's microphone is heard at ${sampleRate} Hz, and it plays what is played to it`,
    { skip },
    async (t) => {
      const { caller, leg } = await browserCall(t, { sampleRate })
      const heard = await heardWith(leg, 440, 40)
      assert.equal(heard.length, (40 * sampleRate) / 50)
      assert.ok(meanStrengthOf(440, heard, sampleRate) > 0.5)
      void leg.play(sine(1000, 2 * sampleRate, sampleRate))
      await caller.until(({ hz = 0, level = -200 }) => Math.abs(hz - 1000) < 30 && level > -40)
      await leg.drained()
      assert.equal(leg.playedMs, 2000)
    },
  )

test('a browser and its leg report to each other how the line is', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  void leg.play(sine(1000, 60 * leg.sampleRate, leg.sampleRate))
  while (leg.line.sent === null || leg.line.roundTripMs === null) await sleep(100)
  const { codec, heard, sent, roundTripMs } = leg.line
  assert.equal(codec, 'opus')
  assert.ok(heard.expected > 0 && sent.expected > 0 && roundTripMs < 30_000)
  caller.order('reports')
  await caller.until(({ reported = 0 }) => reported > 0)
})

test('keys pressed in a browser are heard, and keys sent to it sound', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  const digits: string[] = []
  const both = Promise.withResolvers<void>()
  leg.onTone((digit) => {
    digits.push(digit)
    if (digits.length === 3) both.resolve()
  })
  await heardWith(leg, 440, 1)
  caller.order('press 55#')
  await both.promise
  assert.deepEqual(digits, ['5', '5', '#'])
  await leg.sendTones('1111')
  await caller.until(
    ({ hz = 0, level = -200 }) => (Math.abs(hz - 697) < 30 || Math.abs(hz - 1209) < 30) && level > -50,
  )
})

test('a browser that closes its connection hung up', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  await heardWith(leg, 440, 1)
  caller.order('close')
  assert.equal(await leg.ended, 'hangup')
  for await (const frame of leg.heard()) assert.equal(frame.length, 480)
})

test('a goodbye that a stranger says for a browser ends nothing', { skip }, async (t) => {
  const { leg, sdp } = await browserCall(t)
  await heardWith(leg, 440, 1)
  const stranger = createSocket('udp4')
  t.after(() => stranger.close())
  const goodbye = Buffer.from('15fefd000100000000ffff00020100', 'hex')
  for (const [, port] of sdp.matchAll(/^a=candidate:\S+ 1 udp \d+ [\d.]+ (\d+) /gm))
    await new Promise((sent) => stranger.send(goodbye, Number(port), '127.0.0.1', sent))
  const frames = await heardWith(leg, 440, 100)
  assert.equal(frames.length, 48_000)
  assert.ok(meanStrengthOf(440, frames, leg.sampleRate) > 0.4)
})

test('a browser that is hung up on is notified', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  await heardWith(leg, 440, 1)
  await assert.rejects(leg.transfer(), new MediaError('a call from a browser cannot be sent on to a number'))
  await leg.hangUp()
  assert.equal(await leg.ended, 'hangup')
  await caller.until(({ state }) => state === 'closed' || state === 'failed' || state === 'disconnected')
})

test(
  'a browser that dies has hung up after 4.5 seconds, and not after fifteen, and the leg says why',
  { skip },
  async (t) => {
    const { caller, leg } = await browserCall(t)
    await heardWith(leg, 440, 1)
    caller.kill()
    const killedAt = performance.now()
    assert.equal(await leg.ended, 'hangup')
    assert.ok(performance.now() - killedAt < 12_000)
    assert.match(
      String(leg.whyEnded),
      /^the browser is gone, it sent nothing for \d+\.\d s: its tab was closed, or its network is gone$/,
    )
  },
)

test('a browser whose page is left hangs up', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  await heardWith(leg, 440, 1)
  caller.order('leave')
  assert.equal(await leg.ended, 'hangup')
})

test('a browser that restarts ICE is heard and hears as before', { skip }, async (t) => {
  const { caller, leg } = await browserCall(t)
  await heardWith(leg, 440, 1)
  for (let round = 1; round <= 2; round += 1) {
    const since = caller.told.length
    caller.order('restart')
    await caller.until(({ state }) => state === 'restarted', since)
    const heard = await heardWith(leg, 440, 40)
    assert.ok(meanStrengthOf(440, heard, leg.sampleRate) > 0.4)
    void leg.play(sine(1000 * round, leg.sampleRate, leg.sampleRate))
    await caller.until(({ hz = 0, level = -200 }) => Math.abs(hz - 1000 * round) < 30 && level > -40, since)
    await leg.drained()
  }
  assert.throws(
    () => leg.reconnect(strangersOffer),
    new MediaError('only the browser that is in the call can reconnect to it'),
  )
})
