import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { firefoxToneHz } from '../../testing/browser-programs.ts'
import { TurnServer } from '../../testing/turn-server.ts'
import { BrowserCaller, type Told } from '../../testing/webrtc-browser.ts'
import { answerOffer } from './answer-offer.ts'
import type { BrowserLeg } from './browser-leg.ts'

async function firefoxCalls(t: TestContext, connection: object = {}) {
  const answered = Promise.withResolvers<BrowserLeg>()
  let leg: BrowserLeg | undefined
  const answer = async (offer: string) => {
    const again = leg?.reconnect(offer)
    if (again !== undefined) return again
    const first = await answerOffer(offer)
    leg = first.leg
    answered.resolve(leg)
    return first.sdp
  }
  const caller = await BrowserCaller.call(new Int16Array(0), answer, connection, 'firefox')
  t.after(async () => {
    await caller.stop()
    await leg?.hangUp()
  })
  await caller.until(({ state }) => state === 'connected')
  return { caller, leg: await answered.promise }
}

/** Without a sound card it knows how loud it hears us, and not more. */
const isLoud = ({ level = -200 }: Told) => level > -30

/** Until it hears a tone, after it heard none. */
async function untilItHears(caller: BrowserCaller, leg: BrowserLeg): Promise<void> {
  leg.clear()
  await caller.until(({ level = 0 }) => level < -60, caller.told.length)
  const since = caller.told.length
  void leg.play(sine(1000, 3 * leg.sampleRate, leg.sampleRate))
  await caller.until(isLoud, since)
}

/** Until its microphone is heard. */
async function untilHeard(leg: BrowserLeg): Promise<void> {
  for await (const frame of leg.heard()) if (strengthOf(firefoxToneHz, frame, leg.sampleRate) > 0.2) return
  assert.fail('the leg ended')
}

test(
  'Firefox is heard and hears, presses keys, restarts ICE, and hangs up when its page is left',
  { skip: missing('firefox-esr'), timeout: 120_000 },
  async (t) => {
    const { caller, leg } = await firefoxCalls(t)
    await untilHeard(leg)
    await untilItHears(caller, leg)

    const digits: string[] = []
    const both = Promise.withResolvers<void>()
    leg.onTone((digit) => {
      digits.push(digit)
      if (digits.length === 3) both.resolve()
    })
    caller.order('press 7*#')
    await both.promise
    assert.deepEqual(digits, ['7', '*', '#'])

    const since = caller.told.length
    caller.order('restart')
    await caller.until(({ state }) => state === 'restarted', since)
    await untilHeard(leg)
    await untilItHears(caller, leg)

    caller.order('leave')
    assert.equal(await leg.ended, 'hangup')
  },
)

test(
  'Firefox that reaches nothing but coturn is heard and hears, and has hung up when it dies',
  { skip: missing('firefox-esr') || missing('turnserver'), timeout: 120_000 },
  async (t) => {
    const server = await TurnServer.start()
    t.after(() => server.stop())
    const { caller, leg } = await firefoxCalls(t, {
      iceServers: [server.iceServer('tcp')],
      iceTransportPolicy: 'relay',
    })
    await untilHeard(leg)
    await untilItHears(caller, leg)
    caller.kill()
    assert.equal(await leg.ended, 'hangup')
  },
)
