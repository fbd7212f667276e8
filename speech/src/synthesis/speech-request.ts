import { isName, noSuchModel, refuseNoLanguage } from '../foundation/names.ts'
import { badRequest, Refusal } from '../foundation/refusals.ts'
import { openAiSoundForms, soundForms, type SoundFormName } from '../sound/sound-forms.ts'

const mostCharacters = 5_000
const speeds = { slowest: 0.25, fastest: 4 }

/** What a request has that does not say it. */
interface Defaults {
  forms: readonly SoundFormName[]
  form: SoundFormName
  sampleRate: 16_000 | 24_000
}
const ours: Defaults = { forms: soundForms, form: 'pcm', sampleRate: 16_000 }
/** As OpenAI documents them. */
const openAi: Defaults = { forms: openAiSoundForms, form: 'mp3', sampleRate: 24_000 }

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
  /** In the form of OpenAI, whose names of models and voices may be in it. */
  isOpenAi: boolean
  /** OpenAI's events instead of the sound itself. */
  isEvents: boolean
}

/** The fields of a body, before any of them is looked at. */
export function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('body: must be a JSON object')
  return body as Record<string, unknown>
}

/** Refuses in the order of SD-67: the body, its length, each field as the document lists them, the form. */
export function readSpeech(fields: Readonly<Record<string, unknown>>, isOpenAi: boolean): AskedSpeech {
  const defaults = isOpenAi ? openAi : ours
  const characters = lengthOf(fields['input'])
  const input = readInput(fields['input'])
  const voice = readVoice(isOpenAi ? idIn(fields['voice']) : fields['voice'])
  const model = readText('model', fields['model'])
  const language = readLanguage(fields['language'])
  const named = readText('response_format', fields['response_format']) ?? defaults.form
  const sampleRate = readSampleRate(fields['sample_rate'] ?? defaults.sampleRate)
  const speed = readSpeed(fields['speed'])
  const timestamps = readTimestamps(fields['timestamps'])
  const isEvents = isOpenAi && readStreamFormat(fields['stream_format'])
  if (isEvents && timestamps)
    throw badRequest('`stream_format`: ask for these events or for `timestamps`, and not for both')
  const format = defaults.forms.find((form) => form === named)
  if (!format)
    throw new Refusal(
      400,
      'FORMAT_UNSUPPORTED',
      `\`response_format\` is one of ${defaults.forms.join(', ')}: ${shortened(named)} is none of them`,
    )
  if (!isName(voice)) throw new Refusal(400, 'BAD_VOICE', 'there is no voice of that name')
  if (model !== null && !isName(model)) throw noSuchModel()
  const asked = { input, characters, voice, model, language, format, sampleRate, speed, timestamps }
  return { ...asked, isOpenAi, isEvents }
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
  if (value !== 16_000 && value !== 24_000) throw badRequest('`sample_rate` is 16000 or 24000')
  return value
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

function readStreamFormat(value: unknown): boolean {
  const named = value ?? 'audio'
  if (named !== 'audio' && named !== 'sse') throw badRequest('`stream_format` is audio or sse')
  return named === 'sse'
}

/** A custom voice is an object with its id. */
const idIn = (voice: unknown) =>
  typeof voice === 'object' && voice !== null && 'id' in voice ? voice.id : voice

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
