import type { Spoken } from './vendor.ts'
import { WordTimes, type Mark } from './word-times.ts'

/** What a vendor sends while it speaks: 16-bit samples as base64, and when it says which part of the text. */
export interface SpeechPiece {
  audio?: string | undefined
  marks?: readonly Mark[] | undefined
}

/** Whole samples as they come, and each white-space separated word of the text once, in order. */
export async function* timedSpeech(text: string, pieces: AsyncIterable<SpeechPiece>): AsyncIterable<Spoken> {
  const words = new WordTimes(text)
  let half = Buffer.alloc(0)
  for await (const { audio, marks } of pieces) {
    for (const mark of marks ?? []) yield* words.say(mark)
    const bytes = Buffer.concat([half, Buffer.from(audio ?? '', 'base64')])
    const whole = bytes.length - (bytes.length % 2)
    if (whole > 0) yield { type: 'audio', pcm: bytes.subarray(0, whole) }
    half = bytes.subarray(whole)
  }
  yield* words.rest()
}
