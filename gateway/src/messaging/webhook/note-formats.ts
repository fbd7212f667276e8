import { decoded } from '@switchroom/kit/decoding/decoding'
import { formatOf, mediaTypes, type MediaFormat } from '@switchroom/kit/decoding/media-formats'
import type { Recording } from '@switchroom/kit/vendor'

const mostMinutes = 30

/** By the platform's media type, if the bytes do not say. */
const formsByType: Readonly<Record<string, MediaFormat>> = {
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
}

/** A voice note in the formats that speech-to-text takes: as it came, or decoded to WAV once for all vendors that need it. */
export class NoteFormats {
  readonly #came: Recording
  readonly #form: MediaFormat | undefined
  #wav: Promise<Recording> | undefined

  constructor(came: Recording) {
    this.#came = came
    const type = came.mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
    this.#form = formatOf(Buffer.from(came.bytes)) ?? formsByType[type]
  }

  canBe(taken: readonly string[]): boolean {
    return this.#form !== undefined && (taken.includes(this.#form) || taken.includes('wav'))
  }

  async as(taken: readonly string[], signal: AbortSignal): Promise<Recording> {
    if (this.#form === undefined || taken.includes(this.#form)) return this.#came
    this.#wav ??= this.#decoded(this.#form, signal)
    return this.#wav
  }

  async #decoded(form: MediaFormat, signal: AbortSignal): Promise<Recording> {
    const { wav } = await decoded(Buffer.from(this.#came.bytes), form, signal, mostMinutes)
    return { bytes: wav, mediaType: mediaTypes.wav }
  }
}
