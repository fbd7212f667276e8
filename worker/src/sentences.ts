import type { InstalledVendors } from '@switchroom/kit/installed'
import { primaryTag } from '@switchroom/kit/languages'
import { playSentence } from '@switchroom/media/rtp/play-sentence'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { resampled } from '@switchroom/audio/resampler'
import type { Logger } from 'pino'

const phoneRate = 8_000
const renderWithinMs = 60_000

/** What a caller hears when no agent can speak to them: that something broke, or that every worker is busy. */
export type Occasion = 'lost' | 'busy'

const words: Readonly<Record<string, Readonly<Record<Occasion | 'back', string>>>> = {
  en: {
    lost: 'Sorry, something went wrong on our side.',
    busy: 'Sorry, all our lines are busy.',
    back: 'We will call you back.',
  },
  es: {
    lost: 'Perdona, tenemos un problema técnico.',
    busy: 'Perdona, todas nuestras líneas están ocupadas.',
    back: 'Te volveremos a llamar.',
  },
  pt: {
    lost: 'Desculpe, temos um problema técnico.',
    busy: 'Desculpe, todas as nossas linhas estão ocupadas.',
    back: 'Vamos ligar de volta.',
  },
}

/** The few sentences of the worker's own, made once so that nothing is needed to say them. */
export class Sentences {
  readonly #clips = new Map<string, Int16Array>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** A vendor that needs no key says them; without one lost callers hear nothing. */
  async make(vendors: InstalledVendors): Promise<void> {
    const vendor = vendors.all.find((one) => !one.needsKey && one.does.includes('tts'))
    if (!vendor)
      return this.#logger.warn('no text-to-speech vendor works without a key: lost callers hear nothing')
    for (const [language, said] of Object.entries(words))
      for (const [occasion, text] of Object.entries(said))
        try {
          const voice = await vendor.voice({ knobs: { language }, credentials: {} })
          const pieces: Uint8Array[] = []
          for await (const spoken of voice.speak(text, AbortSignal.timeout(renderWithinMs)))
            if (spoken.type === 'audio') pieces.push(Uint8Array.from(spoken.pcm))
          this.#clips.set(keyOf(language, occasion), atPhoneRate(Buffer.concat(pieces), voice.sampleRate))
        } catch (error) {
          this.#logger.warn({ err: error, language, occasion }, 'a sentence could not be made')
        }
  }

  /** Plays it on a leg that no call uses; nothing if it could not be made. */
  async play(
    occasion: Occasion,
    language: string | undefined,
    callsBack: boolean,
    terms: MediaTerms,
  ): Promise<void> {
    const clip = this.clipOf(occasion, language, callsBack)
    if (clip) await playSentence(terms, clip)
  }

  /** At 8 kHz; undefined if it could not be made. */
  clipOf(occasion: Occasion, language: string | undefined, callsBack: boolean): Int16Array | undefined {
    const tag = primaryTag(language ?? 'en')
    const spoken = words[tag] ? tag : 'en'
    const said = this.#clips.get(keyOf(spoken, occasion))
    const back = this.#clips.get(keyOf(spoken, 'back'))
    if (!said || !back || !callsBack) return said
    const both = new Int16Array(said.length + back.length)
    both.set(said)
    both.set(back, said.length)
    return both
  }
}

const keyOf = (language: string, occasion: string) => `${language}/${occasion}`

function atPhoneRate(bytes: Buffer, sampleRate: number): Int16Array {
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)))
  return resampled(samples, sampleRate, phoneRate)
}
