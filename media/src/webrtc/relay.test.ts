import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { TurnServer } from '../../testing/turn-server.ts'
import { BrowserCaller } from '../../testing/webrtc-browser.ts'
import { answerOffer } from './answer-offer.ts'
import type { BrowserLeg } from './browser-leg.ts'

const skip = missing('chromium') || missing('turnserver')

for (const over of ['udp', 'tcp', 'tls'] as const)
  test(
    `a browser that reaches nothing but a TURN server over ${over}, with the credentials of its call, is heard and hears`,
    { skip },
    async (t) => {
      const server = await TurnServer.start()
      t.after(() => server.stop())
      let leg: BrowserLeg | undefined
      const connection = { iceServers: [server.iceServer(over)], iceTransportPolicy: 'relay' }
      const answer = async (offer: string) => {
        const answered = await answerOffer(offer)
        leg = answered.leg
        return answered.sdp
      }
      const caller = await BrowserCaller.call(sine(440, 96_000, 48_000), answer, connection)
      t.after(() => caller.stop())
      await caller.until(({ state }) => state === 'connected')
      assert.ok(leg)
      t.after(() => leg?.hangUp())
      for await (const frame of leg.heard()) if (strengthOf(440, frame, leg.sampleRate) > 0.2) break
      void leg.play(sine(1000, leg.sampleRate, leg.sampleRate))
      await caller.until(({ hz = 0, level = -200 }) => Math.abs(hz - 1000) < 30 && level > -40)
    },
  )
