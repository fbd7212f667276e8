import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { strengthOf } from '@switchroom/audio/testing/tones'
import type { LegEnd, SoundState } from '../src/leg.ts'
import type { Codec } from '../src/rtp/codecs.ts'
import { MediaError } from '../src/plane.ts'
import { RtpLeg } from '../src/rtp/rtp-leg.ts'
import { RtpPhone } from './rtp-phone.ts'

/** A leg, the phone at its other end, and what was asked of its signalling. */
export async function onThePhone(
  t: TestContext,
  codec: Codec = 'PCMU',
  terms = {},
  tellSound?: (sound: SoundState) => void,
) {
  const phone = await RtpPhone.ring(codec)
  const signalled = Promise.withResolvers<LegEnd>()
  const asked: string[] = []
  let takesInfo = true
  const leg = await RtpLeg.open(
    { ...phone.terms, ...terms },
    {
      hangUp: async () => void asked.push('BYE'),
      press: async (key) => {
        if (!takesInfo) throw new MediaError('the far end answered 415 Unsupported Media Type')
        asked.push(`INFO ${key}`)
      },
      transfer: async (to) => void asked.push(`REFER ${to}`),
      ended: signalled.promise,
      ...(tellSound && { tellSound }),
    },
  )
  t.after(async () => {
    await leg.hangUp()
    phone.close()
  })
  const refuseInfo = () => {
    takesInfo = false
  }
  return { phone, leg, asked, refuseInfo, bye: () => signalled.resolve('hangup') }
}

/** The frames from the first that is not silent on. */
export async function heardFrames(leg: RtpLeg, count: number): Promise<Int16Array[]> {
  const frames: Int16Array[] = []
  for await (const frame of leg.heard()) {
    if (frames.length === 0 && frame.every((sample) => Math.abs(sample) < 50)) continue
    frames.push(frame)
    if (frames.length === count) break
  }
  return frames
}

/** Until a tone is heard, at the sample rate of the leg; fails if the leg ends before. */
export async function untilTone(leg: RtpLeg, hz: number): Promise<void> {
  for await (const frame of leg.heard()) {
    assert.equal(frame.length, leg.sampleRate / 50)
    if (strengthOf(hz, frame, leg.sampleRate) > 0.8) return
  }
  assert.fail(`${hz} Hz were never heard`)
}

export const joined = (frames: Int16Array[]) => Int16Array.from(frames.flatMap((frame) => [...frame]))
