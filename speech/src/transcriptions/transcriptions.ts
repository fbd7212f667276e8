import type { Grant } from '@switchroom/contract/voice-server'
import { mediaTypes } from '@switchroom/kit/decoding/media-formats'
import { isPlainWav } from '@switchroom/kit/decoding/wav-format'
import type { InstalledVendor } from '@switchroom/kit/installed'
import type { Recording, Transcript } from '@switchroom/kit/vendor'
import { choiceOf, vendorOf } from '../gateway/granted-vendors.ts'
import { badRequest, Refusal, upstreamError } from '../foundation/refusals.ts'
import type { Parts } from '../http/server.ts'
import type { Transcribed } from './answers.ts'
import { decodedUpload } from './decoded-upload.ts'
import type { Asked } from './fields.ts'
import type { Hold } from './held-bytes.ts'
import type { Upload } from './upload.ts'

/** A file as its vendor takes it, and its length if that is known. */
interface Prepared {
  recording: Recording
  seconds: number | null
}

export interface Listening {
  upload: Upload
  hold: Hold
  gone: AbortSignal
  /** Called with text that is known before the rest. */
  tell?: (text: string) => void
  /** Into English. */
  translate?: boolean
}

/** A recording to text: granted by the gateway, transcribed by a vendor, and settled in any case. */
export class Transcriptions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async transcribe(keyId: string, asked: Asked, listening: Listening): Promise<Transcribed> {
    const { model, language, diarize, isOpenAi } = asked
    const isTranslated = listening.translate === true
    const ask = { doing: 'transcriptions', key_id: keyId, model, language, diarize } as const
    const theirs = { ...(isOpenAi && { openai: true }), ...(isTranslated && { translate: true }) }
    const grant = await this.#parts.gateway.grant({ ...ask, ...theirs })
    let seconds = 0
    try {
      const transcript = await this.#heard(grant, listening)
      seconds = transcript.duration
      return { transcript, seconds, diarize, isTranslated, model: `${grant.vendor}/${grant.model}` }
    } finally {
      this.#parts.gateway.settle(grant.id, { seconds })
    }
  }

  async #heard(grant: Grant, listening: Listening): Promise<Transcript & { duration: number }> {
    const { upload, hold, gone } = listening
    const vendor = vendorOf(this.#parts.vendors, 'stt', grant)
    const { recording, seconds } = await prepared(upload, vendor, hold, gone)
    const transcript = await this.#ask(vendor, grant, recording, listening)
    const duration = transcript.duration ?? seconds ?? (await measured(upload, transcript, gone))
    return { ...transcript, duration }
  }

  async #ask(
    vendor: InstalledVendor,
    grant: Grant,
    recording: Recording,
    { gone, tell, translate }: Listening,
  ) {
    const { transcribeTimeoutMs } = this.#parts.settings
    const deadline = AbortSignal.timeout(transcribeTimeoutMs)
    try {
      const transcriber = await vendor.transcriber(choiceOf(grant))
      const signal = AbortSignal.any([gone, deadline])
      const cannot = translate ? 'does not translate' : 'listens live alone'
      const heard = translate
        ? transcriber.translate?.(recording, signal)
        : transcriber.transcribe?.(recording, signal, tell)
      if (!heard) throw new Refusal(400, 'BAD_MODEL', `\`model\`: ${vendor.name}/${grant.model} ${cannot}`)
      return await heard
    } catch (error) {
      if (deadline.aborted)
        throw new Refusal(
          504,
          'UPSTREAM_TIMEOUT',
          `${vendor.name} did not answer within ${transcribeTimeoutMs / 1000} seconds`,
        )
      throw upstreamError(vendor.name, error)
    }
  }
}

/** Unchanged if the vendor takes its format, else decoded. */
async function prepared(
  upload: Upload,
  vendor: InstalledVendor,
  hold: Hold,
  gone: AbortSignal,
): Promise<Prepared> {
  const { file, form } = upload
  const formats = vendor.manifest?.stages.stt?.formats ?? ['wav']
  // A vendor that takes nothing else takes WAV for its samples, and not what else may be wrapped in it.
  const isTaken = formats.includes(form) && (form !== 'wav' || formats.length > 1 || isPlainWav(file))
  if (isTaken) return { recording: { bytes: file, mediaType: mediaTypes[form] }, seconds: null }
  const { wav, seconds } = await decodedUpload(upload, gone)
  if (seconds === 0) throw badRequest('`file` holds no audio')
  hold.take(wav.length)
  return { recording: { bytes: wav, mediaType: mediaTypes.wav }, seconds }
}

/** The length of a recording whose vendor does not say; up to the last word if it cannot be decoded here. */
async function measured(upload: Upload, { words, segments }: Transcript, gone: AbortSignal) {
  try {
    return (await decodedUpload(upload, gone)).seconds
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return Math.max(0, ...[...words, ...segments].map(({ end }) => end))
  }
}
