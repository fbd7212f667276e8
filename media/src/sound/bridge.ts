import type { Leg } from '../leg.ts'
import { Resampler } from '@switchroom/audio/resampler'
import { quickResampling } from '@switchroom/audio/resampling-filter'

/** More than so much waiting is left out: two people who talk hear each other at once or not at all. */
const longestDelayMs = 200

/** Joins what two parties say and press until one of them ends; the caller of `bridge` decides about the other one. */
export async function bridge(a: Leg, b: Leg): Promise<void> {
  const over = new AbortController()
  const carrying = [carry(a, b, over.signal), carry(b, a, over.signal)]
  await Promise.race([a.ended, b.ended])
  over.abort()
  await Promise.all(carrying)
}

async function carry(from: Leg, to: Leg, over: AbortSignal): Promise<void> {
  to.clear()
  from.onTone((digit) => void to.sendTones(digit))
  const resampler = new Resampler(from.sampleRate, to.sampleRate, {
    quality: quickResampling,
    keepsPace: true,
  })
  let givenMs = 0
  for await (const frame of from.heard()) {
    if (over.aborted) break // at the next frame, which silence is too
    givenMs = Math.max(givenMs, to.playedMs)
    if (givenMs - to.playedMs > longestDelayMs) continue
    const samples = resampler.take(frame)
    givenMs += (samples.length * 1000) / to.sampleRate
    void to.play(samples)
  }
  from.onTone(() => {})
}
