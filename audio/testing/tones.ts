/** A sine, 20 ms of it unless said otherwise. */
export function sine(hz: number, samples = 160, sampleRate = 8000, from = 0): Int16Array {
  return Int16Array.from({ length: samples }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * hz * (from + at)) / sampleRate)),
  )
}

/** How strong one frequency is in the samples: 1 for a sine of `sine`. */
export function strengthOf(hz: number, samples: Int16Array, sampleRate = 8000): number {
  let [real, imaginary] = [0, 0]
  for (const [at, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * at) / sampleRate)
    imaginary += sample * Math.sin((2 * Math.PI * hz * at) / sampleRate)
  }
  return (2 * Math.hypot(real, imaginary)) / Math.max(1, samples.length) / 8000
}

/** How strong one frequency is in each 20 ms by itself, so that a gap between them does not count. */
export function meanStrengthOf(hz: number, samples: Int16Array, sampleRate = 8000): number {
  const frame = sampleRate / 50
  let sum = 0
  for (let at = 0; at + frame <= samples.length; at += frame)
    sum += strengthOf(hz, samples.subarray(at, at + frame), sampleRate)
  return (sum * frame) / Math.max(frame, samples.length)
}
