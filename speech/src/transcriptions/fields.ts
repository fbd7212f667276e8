import { isName, noSuchModel, refuseNoLanguage } from '../foundation/names.ts'
import { badRequest } from '../foundation/refusals.ts'

export const responseFormats = ['json', 'verbose_json', 'text'] as const
export type ResponseFormat = (typeof responseFormats)[number]

/** What a transcription is asked for beside its file. */
export interface Asked {
  model: string | null
  language: string | null
  diarize: boolean
  responseFormat: ResponseFormat
}

/** In the order in which they are judged; a field that was not sent is undefined. */
export function asked(fields: ReadonlyMap<string, unknown>): Asked {
  return {
    model: modelOf(fields.get('model')),
    language: languageOf(fields.get('language')),
    diarize: diarizeOf(fields.get('diarize')),
    responseFormat: responseFormatOf(fields.get('response_format')),
  }
}

export function modelOf(value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') throw badRequest('`model` is a string')
  if (!isName(value)) throw noSuchModel()
  return value
}

export function languageOf(value: unknown): string | null {
  if (value === undefined) return null
  refuseNoLanguage(value)
  return value
}

export function diarizeOf(value: unknown): boolean {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw badRequest('`diarize` is true or false')
}

function responseFormatOf(value: unknown): ResponseFormat {
  if (value === undefined) return 'json'
  const known = responseFormats.find((format) => format === value)
  if (known) return known
  throw badRequest('`response_format` is json, verbose_json or text')
}
