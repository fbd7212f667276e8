import { isName, noSuchModel, refuseNoLanguage } from '../foundation/names.ts'
import { granularities } from '../foundation/openai-requests.ts'
import { badRequest } from '../foundation/refusals.ts'

export const responseFormats = ['json', 'verbose_json', 'text'] as const
/** What clients of OpenAI may ask for. */
export const openAiFormats = [...responseFormats, 'srt', 'vtt'] as const
export type ResponseFormat = (typeof openAiFormats)[number]

/** What the times in a verbose answer are of. */
export const granularityNames = ['word', 'segment'] as const
export type Granularity = (typeof granularityNames)[number]

/** What a transcription is asked for beside its file. */
export interface Asked {
  model: string | null
  language: string | null
  diarize: boolean
  responseFormat: ResponseFormat
  /** In the form of OpenAI, whose names of models may be in it. */
  isOpenAi: boolean
  /** OpenAI's events instead of one answer. */
  isEvents: boolean
  granularities: readonly Granularity[]
}

/** In the order in which they are judged; a field that was not sent is undefined. */
export function asked(fields: ReadonlyMap<string, unknown>, isOpenAi: boolean): Asked {
  const read = {
    model: modelOf(fields.get('model')),
    language: languageOf(fields.get('language')),
    diarize: diarizeOf(fields.get('diarize')),
    responseFormat: responseFormatOf(fields.get('response_format'), isOpenAi),
  }
  const isEvents = isOpenAi && isStreamed(fields.get('stream'))
  if (isEvents && read.responseFormat !== 'json' && read.responseFormat !== 'text')
    throw badRequest(`\`stream\`: its events hold the text alone: leave it out for ${read.responseFormat}`)
  return { ...read, isOpenAi, isEvents, granularities: granularitiesOf(fields.get(granularities)) }
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

function responseFormatOf(value: unknown, isOpenAi: boolean): ResponseFormat {
  if (value === undefined) return 'json'
  const formats: readonly ResponseFormat[] = isOpenAi ? openAiFormats : responseFormats
  const known = formats.find((format) => format === value)
  if (known) return known
  throw badRequest(`\`response_format\` is ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`)
}

/** The clients write booleans in their own languages. */
function isStreamed(value: unknown): boolean {
  if (value === undefined || value === 'false' || value === 'False') return false
  if (value === 'true' || value === 'True') return true
  throw badRequest('`stream` is true or false')
}

/** Segments, unless something else is asked for. */
function granularitiesOf(value: unknown): Granularity[] {
  const named = value === undefined ? ['segment'] : [value].flat()
  return named.map((one) => {
    const known = granularityNames.find((name) => name === one)
    if (!known) throw badRequest('`timestamp_granularities` are word and segment')
    return known
  })
}
