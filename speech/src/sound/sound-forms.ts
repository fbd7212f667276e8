import { wavHeader } from '@switchroom/audio/wav'
import { Mp3 } from './mp3.ts'

/** How samples are written. The sum of what it gives is the whole. */
export interface SoundForm {
  take(pcm: Uint8Array): Uint8Array
  end(): Uint8Array
}

const nothing = new Uint8Array(0)
/** Of a length that is not known yet. */
const endless = Infinity

export async function soundForm(name: 'pcm' | 'wav' | 'mp3', sampleRate: number): Promise<SoundForm> {
  if (name === 'mp3') return new Mp3(sampleRate, await Mp3.encoder())
  return name === 'wav' ? new Wav(sampleRate) : { take: (pcm) => pcm, end: () => nothing }
}

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
