const rate = 16_000

/** Always the same. */
function noise() {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return (state / 2_147_483_647) * 2 - 1
  }
}

const made = (ms: number, at: (seconds: number) => number) =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, n) =>
    Math.max(-32_768, Math.min(32_767, Math.round(at(n / rate)))),
  )

const wave = (hz: number, seconds: number) => Math.sin(2 * Math.PI * hz * seconds)

/** Sounds of 16 kHz around a caller who says nothing. */
export function everydaySounds(): Record<string, Int16Array> {
  const [hiss, cough, bark] = [noise(), noise(), noise()]
  let rumble = 0
  const thunder = noise()
  return {
    'a cough': made(700, (s) => {
      const since = s % 0.35
      return 14_000 * Math.exp(-since * 14) * (0.7 * cough() + 0.3 * wave(220, since))
    }),
    noise: made(1_500, () => 6_000 * hiss()),
    'a tone': made(1_500, (s) => 10_000 * wave(440, s)),
    'a dog': made(1_500, (s) => {
      const since = s % 0.4
      const pitch = 700 - 1_500 * since
      return since > 0.16
        ? 0
        : 12_000 * Math.sin(Math.PI * (since / 0.16)) * (wave(pitch, since) + 0.6 * bark())
    }),
    'a horn': made(1_500, (s) =>
      [400, 500, 800, 1_000, 1_500].reduce((sum, hz) => sum + 3_000 * wave(hz, s), 0),
    ),
    thunder: made(2_500, (s) => {
      rumble = rumble * 0.98 + thunder() * 0.2
      return 16_000 * rumble * Math.exp(-s)
    }),
    'a ringing phone': made(1_500, (s) => (s % 0.1 < 0.05 ? 8_000 * wave(1_000, s) : 8_000 * wave(1_300, s))),
  }
}
