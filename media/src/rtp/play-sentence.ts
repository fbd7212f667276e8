import { resampled } from '@switchroom/audio/resampler'
import type { MediaTerms } from './media-terms.ts'
import { RtpLeg } from './rtp-leg.ts'

/** Plays one clip (8 kHz) to a party whose leg is gone: binds its port, plays, and releases the port. */
export async function playSentence(terms: MediaTerms, samples8k: Int16Array): Promise<void> {
  const leg = await RtpLeg.open(terms, {
    hangUp: async () => {},
    transfer: async () => {},
    ended: new Promise(() => {}),
  })
  await leg.play(resampled(samples8k, 8000, leg.sampleRate))
  await leg.drained()
  await leg.hangUp()
}
