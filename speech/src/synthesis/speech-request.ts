import { isName, noSuchModel, refuseNoLanguage } from '../foundation/names.ts'
import { badRequest, Refusal } from '../foundation/refusals.ts'

const mostCharacters = 5_000
const speeds = { slowest: 0.25, fastest: 4 }

export const soundForms = ['pcm', 'wav', 'mp3'] as const
export type SoundFormName = (typeof soundForms)[number]

/** A request for speech, every field checked. */
export interface AskedSpeech {
  input: string
  /** Code points of the input, which is what is paid for. */
  characters: number
  voice: string
  model: string | null
  language: string | null
  format: SoundFormName
  sampleRate: 16_000 | 24_000
  speed: number
  timestamps: boolean
}

/** Refuses in the order of SD-67: the body, its length, each field as the document lists them, the form. */
export function readSpeech(body: unknown): AskedSpeech {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('body: must be a JSON object')
  const fields = body as Record<string, unknown>
  const characters = lengthOf(fields['input'])
  const input = readInput(fields['input'])
  const voice = readVoice(fields['voice'])
  const model = readText('model', fields['model'])
  const language = readLanguage(fields['language'])
  const named = readText('response_format', fields['response_format']) ?? 'pcm'
  const sampleRate = readSampleRate(fields['sample_rate'])
  const speed = readSpeed(fields['speed'])
  const timestamps = readTimestamps(fields['timestamps'])
  const format = soundForms.find((form) => form === named)
  if (!format)
    throw new Refusal(
      400,
      'FORMAT_UNSUPPORTED',
      `\`response_format\` is one of ${soundForms.join(', ')}: ${shortened(named)} is none of them`,
    )
  if (!isName(voice)) throw new Refusal(400, 'BAD_VOICE', 'there is no voice of that name')
  if (model !== null && !isName(model)) throw noSuchModel()
  return { input, characters, voice, model, language, format, sampleRate, speed, timestamps }
}

function lengthOf(input: unknown): number {
  if (typeof input !== 'string') return 0
  const characters = Array.from(input).length
  if (characters > mostCharacters)
    throw new Refusal(
      413,
      'INPUT_TOO_LONG',
      `\`input\` is at most ${mostCharacters} characters and this one has ${characters}: say it in parts`,
    )
  return characters
}

function readInput(input: unknown): string {
  if (typeof input !== 'string') throw badRequest('`input` is required: the text to say')
  if (input.trim() === '') throw badRequest('`input` is blank: there is nothing to say')
  return input.toWellFormed()
}

function readVoice(voice: unknown): string {
  if (typeof voice !== 'string' || voice.trim() === '')
    throw badRequest('`voice` is required: a provider/alias or an id of GET /v1/audio/voices')
  return voice
}

/** Null counts as left out. */
function readText(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw badRequest(`\`${name}\` is a string`)
  return value
}

function readLanguage(value: unknown): string | null {
  const language = readText('language', value)
  if (language !== null) refuseNoLanguage(language)
  return language
}

function readSampleRate(value: unknown): 16_000 | 24_000 {
  const rate = value ?? 16_000
  if (rate !== 16_000 && rate !== 24_000) throw badRequest('`sample_rate` is 16000 or 24000')
  return rate
}

function readSpeed(value: unknown): number {
  const speed = value ?? 1
  if (typeof speed !== 'number' || !(speed >= speeds.slowest && speed <= speeds.fastest))
    throw badRequest(`\`speed\` is a number from ${speeds.slowest} to ${speeds.fastest}`)
  return speed
}

function readTimestamps(value: unknown): boolean {
  const timestamps = value ?? false
  if (typeof timestamps !== 'boolean') throw badRequest('`timestamps` is true or false')
  return timestamps
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
