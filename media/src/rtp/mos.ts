/** What a codec costs by itself, and how well what is lost is concealed (ITU-T G.113, appendix I). */
interface Impairment {
  ie: number
  bpl: number
}

/** With concealment of lost packets, as both ends are taken to have. */
const g711: Impairment = { ie: 0, bpl: 25.1 }
const impairments = new Map<string, Impairment>([
  ['PCMU', g711],
  ['PCMA', g711],
  ['G729', { ie: 11, bpl: 19 }],
])
/** The basic signal-to-noise ratio with every other value of G.107 at its default. */
const r0 = 93.2
/** From here on people notice that they wait for each other. */
const noticedMs = 177.3

export interface Listening {
  codec: string
  /** 0 to 100. */
  lossPercent: number
  /** From one mouth to the other's ear. */
  delayMs: number
}

/**
 * The rating R of the E-model (ITU-T G.107) with the defaults for what is not measured; the effect of delay is the
 * linear approximation of Cole and Rosenbluth. Wideband codecs are rated as G.711 is: the scale ends there.
 */
export function rating({ codec, lossPercent, delayMs }: Listening): number {
  const { ie, bpl } = impairments.get(codec) ?? g711
  const loss = Math.min(100, Math.max(0, lossPercent))
  const byLoss = ie + ((95 - ie) * loss) / (loss + bpl)
  const delay = Math.max(0, delayMs)
  const byDelay = 0.024 * delay + (delay > noticedMs ? 0.11 * (delay - noticedMs) : 0)
  return r0 - byDelay - byLoss
}

/** What listeners would say of a rating, on the scale from 1 (bad) to 5 (excellent) (ITU-T G.107, annex B). */
export function mosOf(r: number): number {
  if (r <= 0) return 1
  if (r >= 100) return 4.5
  return Math.max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6)
}
