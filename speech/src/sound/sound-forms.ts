import { wavHeader } from '@switchroom/audio/wav'
import { Aac } from './aac.ts'
import { Flac } from './flac.ts'
import { Mp3 } from './mp3.ts'
import { Opus } from './opus.ts'

/** How samples are written. The sum of what it gives is the whole. */
export interface SoundForm {
  take(pcm: Uint8Array): Uint8Array | Promise<Uint8Array>
  end(): Uint8Array | Promise<Uint8Array>
  /** Frees what it holds, also of a sound that has no end. */
  close?(): void
}

/** What the documents name. */
export const soundForms = ['pcm', 'wav', 'mp3'] as const
/** What clients of OpenAI may ask for, too. */
export const openAiSoundForms = [...soundForms, 'opus', 'aac', 'flac'] as const
export type SoundFormName = (typeof openAiSoundForms)[number]

const nothing = new Uint8Array(0)
/** Of a length that is not known yet. */
const endless = Infinity

const makers: Record<SoundFormName, (rate: 16_000 | 24_000) => SoundForm | Promise<SoundForm>> = {
  pcm: () => ({ take: (pcm) => pcm, end: () => nothing }),
  wav: (rate) => new Wav(rate),
  mp3: async (rate) => new Mp3(rate, await Mp3.encoder()),
  opus: (rate) => new Opus(rate),
  aac: (rate) => new Aac(rate),
  flac: (rate) => new Flac(rate),
}

export const soundForm = async (name: SoundFormName, sampleRate: 16_000 | 24_000): Promise<SoundForm> =>
  makers[name](sampleRate)

/** The header comes with the first samples. */
class Wav implements SoundForm {
  #header: Buffer | undefined

  constructor(sampleRate: number) {
    this.#header = wavHeader({ sampleRate, dataBytes: endless })
  }

  take(pcm: Uint8Array): Uint8Array {
    if (!this.#header) return pcm
    const first = Buffer.concat([this.#header, pcm])
    this.#header = undefined
    return first
  }

  end(): Uint8Array {
    return this.#header ?? nothing
  }
}
