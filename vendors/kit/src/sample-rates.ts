import { PcmResampler } from '@switchroom/audio/pcm'
import { sizedPieces } from './audio-pieces.ts'
import type { VendorClass } from './manifest.ts'
import type { LiveAudio, Transcriber } from './vendor.ts'

/** The lowest of these rates that loses nothing of this one, else the highest; any rate if none are named. */
export function rateAmong(rates: readonly number[] | undefined, wanted: number): number {
  if (!rates) return wanted
  const higher = rates.filter((rate) => rate >= wanted)
  return higher.length > 0 ? Math.min(...higher) : Math.max(...rates)
}

/** A voice is asked for a rate that its vendor gives; what it is asked for otherwise stays. */
export function withRateGiven(
  { knobs, sample_rates: rates }: VendorClass,
  keywords: Record<string, unknown>,
): Record<string, unknown> {
  const keyword = knobs['sample_rate']
  const wanted = keyword === undefined ? undefined : Number(keywords[keyword])
  if (keyword === undefined || !wanted) return keywords
  return { ...keywords, [keyword]: rateAmong(rates, wanted) }
}

/** A transcriber whose adapter gets live audio only at a rate that its vendor takes. */
export function listeningAt(rates: readonly number[] | undefined, transcriber: Transcriber): Transcriber {
  const listen = transcriber.listen?.bind(transcriber)
  if (!listen || !rates) return transcriber
  return {
    ...transcriber,
    listen(audio, sampleRate, signal) {
      const taken = rateAmong(rates, sampleRate)
      return listen(taken === sampleRate ? audio : atRate(audio, sampleRate, taken), taken, signal)
    },
  }
}

async function* atRate(audio: AsyncIterable<LiveAudio>, from: number, to: number): AsyncIterable<LiveAudio> {
  const resampler = new PcmResampler(from, to)
  for await (const piece of sizedPieces(audio, from)) {
    const next = piece === 'finalize' ? piece : resampler.take(piece)
    if (next.length > 0) yield next
  }
  const rest = resampler.end()
  if (rest.length > 0) yield rest
}
