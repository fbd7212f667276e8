import type { LiveAudio } from './vendor.ts'

export const bytesPerSample = 2

export interface PieceMs {
  least: number
  most: number
}

/**
 * Live audio in pieces of whole samples, none shorter and none longer than a vendor takes. What is too short
 * waits for more; at a `finalize` and at the end it is filled up with silence.
 */
export async function* sizedPieces(
  audio: AsyncIterable<LiveAudio>,
  sampleRate: number,
  { least, most }: PieceMs = { least: 0, most: 1_000 },
): AsyncIterable<LiveAudio> {
  const leastBytes = Math.max(bytesPerSample, bytesOf(least, sampleRate, Math.ceil))
  const mostBytes = bytesOf(most, sampleRate, Math.floor)
  let waiting: Uint8Array = new Uint8Array(0)
  const whole = () => waiting.length - (waiting.length % bytesPerSample)
  const take = (bytes: number) => {
    const taken = waiting.subarray(0, bytes)
    waiting = waiting.subarray(bytes)
    return taken
  }
  for await (const piece of audio) {
    if (piece === 'finalize') {
      if (whole() > 0) yield filled(take(whole()), leastBytes)
      yield piece
      continue
    }
    waiting = waiting.length === 0 ? piece : Buffer.concat([waiting, piece])
    while (whole() >= leastBytes) yield take(Math.min(whole(), mostBytes))
  }
  if (whole() > 0) yield filled(take(whole()), leastBytes)
}

const bytesOf = (ms: number, sampleRate: number, rounded: (samples: number) => number) =>
  rounded((ms * sampleRate) / 1_000) * bytesPerSample

function filled(pcm: Uint8Array, leastBytes: number): Uint8Array {
  return pcm.length >= leastBytes ? pcm : Buffer.concat([pcm], leastBytes)
}
