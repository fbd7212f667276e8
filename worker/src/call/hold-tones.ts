/** Two notes that fade, and a pause. */
const notes = [
  { hz: 523.25, atS: 0 },
  { hz: 659.25, atS: 0.7 },
]
const loopS = 4
const noteS = 1.2
const fadeS = 0.35
/** Quiet enough to be spoken over. */
const loudest = 2_500

/** What a waiting caller hears, over and over. */
export function holdTones(sampleRate: number): Int16Array {
  const clip = new Int16Array(loopS * sampleRate)
  for (const { hz, atS } of notes)
    for (let at = 0; at < noteS * sampleRate; at += 1) {
      const s = at / sampleRate
      const place = Math.round(atS * sampleRate) + at
      const rise = Math.min(1, s / 0.02) // without a click
      clip[place] =
        (clip[place] ?? 0) + loudest * rise * Math.exp(-s / fadeS) * Math.sin(2 * Math.PI * hz * s)
    }
  return clip
}
