import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { legOf, soundServer } from '../../testing/secure-call.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import type { RtpLeg } from '../rtp/rtp-leg.ts'

// The phone says back what it hears: what comes back was decoded and encoded there.

const skip = missing('baresip')

const phones = [
  ['G722', 'G722/16000/1', 6000],
  ['opus', 'opus/48000/2', 6000],
  ['PCMA', 'PCMA/8000/1', 2000],
] as const

/** Until a tone that is played has come back. */
async function echoes(leg: RtpLeg, hz: number): Promise<void> {
  const { sampleRate } = leg
  const timer = setInterval(() => void leg.play(sine(hz, sampleRate / 5, sampleRate)), 200)
  try {
    for await (const frame of leg.heard()) if (strengthOf(hz, frame, sampleRate) > 0.4) return
    assert.fail(`${hz} Hz never came back`)
  } finally {
    clearInterval(timer)
  }
}

for (const [codec, spoken, hz] of phones) {
  test(
    `baresip that speaks ${spoken} alone is dialled, and hears and is heard at ${hz} Hz`,
    { skip, timeout: 60_000 },
    async (t) => {
      const phone = await startBaresip(t, '', { codec: spoken })
      const near = await soundServer(t)
      const call = await near.server.invite('peer', trunkTo(phone.port), '+34600111222', never)
      assert.equal(call.terms.codec, codec)
      await echoes(await legOf(t, call), hz)
    },
  )

  test(
    `baresip that speaks ${spoken} alone calls, is heard at ${hz} Hz, and its keys are reported`,
    { skip, timeout: 60_000 },
    async (t) => {
      const near = await soundServer(t, { fences: () => [openFence] })
      const phone = await startBaresip(t, '', { codec: spoken })
      phone.type(`/dial sip:+34911222333@127.0.0.1:${near.server.port}\n`)
      await until(() => near.calls.length > 0)
      const call = await near.calls[0]
      assert.equal(call?.terms.codec, codec)
      const leg = await legOf(t, call)
      const digits: string[] = []
      leg.onTone((digit) => digits.push(digit))
      await echoes(leg, hz)
      phone.type('7')
      phone.type('#')
      await until(() => digits.length === 2)
      assert.deepEqual(digits, ['7', '#'])
    },
  )
}
