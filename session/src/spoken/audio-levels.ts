import type { NewEntry } from '@switchroom/contract/log'

const quietestDb = -60
const fullScale = 32_768
const everyMs = 100
/** Louder than this the agent is taken to speak: there is no voice activity detection on its own audio. */
const speechDb = -45

/** What `audio.metrics` says of one side, ten times a second. */
export class AudioLevels {
  readonly #source: 'user' | 'bot'
  readonly #show: (entries: readonly NewEntry[]) => void
  #sum = 0
  #peak = 0
  #count = 0

  constructor(source: 'user' | 'bot', show: (entries: readonly NewEntry[]) => void) {
    this.#source = source
    this.#show = show
  }

  add(samples: Int16Array, sampleRate: number, activity?: { isSpeech: boolean; vadProb: number }) {
    for (const sample of samples) {
      this.#sum += sample * sample
      this.#peak = Math.max(this.#peak, Math.abs(sample))
    }
    this.#count += samples.length
    if ((this.#count / sampleRate) * 1_000 < everyMs) return
    const rms = Math.min(1, Math.sqrt(this.#sum / this.#count) / fullScale)
    const energyDb = Math.max(quietestDb, 20 * Math.log10(Math.max(rms, Number.MIN_VALUE)))
    const isLoud = energyDb > speechDb
    const data = {
      source: this.#source,
      energyDb,
      rms,
      peak: Math.min(1, this.#peak / fullScale),
      ...(activity ?? { isSpeech: isLoud, vadProb: Number(isLoud) }),
    }
    this.#sum = this.#peak = this.#count = 0
    this.#show([{ type: 'audio.metrics', data }])
  }
}
