import { decoded, type Decoded } from '@switchroom/kit/decoding/decoding'
import { DecodingFailure } from '@switchroom/kit/decoding/decoding-failure'
import { Refusal } from '../foundation/refusals.ts'
import type { Upload } from './upload.ts'

/** The uploaded file as WAV, or a refusal. */
export async function decodedUpload({ file, form }: Upload, gone: AbortSignal): Promise<Decoded> {
  try {
    return await decoded(file, form, gone)
  } catch (error) {
    throw error instanceof DecodingFailure ? refusalOf(error) : error
  }
}

function refusalOf({ kind, message }: DecodingFailure): Refusal {
  const soon = { 'retry-after': '5' }
  if (kind === 'tooMany') return new Refusal(429, 'RATE_LIMITED', message, soon)
  if (kind === 'noRoom') return new Refusal(503, 'UNAVAILABLE', message, soon)
  const [status, code] =
    kind === 'tooLong' ? ([413, 'FILE_TOO_LARGE'] as const) : ([415, 'UNSUPPORTED_MEDIA'] as const)
  return new Refusal(status, code, `\`file\`: ${message}`)
}
