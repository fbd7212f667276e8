import { badRequest, Refusal } from '../foundation/refusals.ts'
import { diarizeOf, languageOf, modelOf } from '../transcriptions/fields.ts'

const sampleRates = [8_000, 16_000, 24_000, 48_000] as const
const encodings = ['linear16', 'mulaw'] as const
export type SampleRate = (typeof sampleRates)[number]
export type Encoding = (typeof encodings)[number]

/** What a stream is opened with. */
export interface LiveArguments {
  sampleRate: SampleRate
  encoding: Encoding
  diarize: boolean
  language: string | null
  model: string | null
}

/** What a query says, and the first thing that is wrong with it; a wrong value counts as if it were left out. */
export function liveArguments(
  query: Readonly<Record<string, unknown>>,
): LiveArguments & { refusal?: Refusal } {
  const refusals: Refusal[] = []
  const read = <T>(name: string, form: (value: unknown) => T): T => {
    try {
      return form(query[name])
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.push(error)
      return form(undefined)
    }
  }
  const given = {
    sampleRate: read('sample_rate', sampleRateOf),
    encoding: read('encoding', encodingOf),
    diarize: read('diarize', diarizeOf),
    language: read('language', languageOf),
    model: read('model', modelOf),
  }
  const [refusal] = refusals
  return { ...given, ...(refusal && { refusal }) }
}

function sampleRateOf(value: unknown = '16000'): SampleRate {
  const rate = sampleRates.find((known) => String(known) === value)
  if (rate === undefined) throw badRequest('`sample_rate` is 8000, 16000, 24000 or 48000')
  return rate
}

function encodingOf(value: unknown = 'linear16'): Encoding {
  const encoding = encodings.find((known) => known === value)
  if (encoding === undefined) throw badRequest('`encoding` is linear16 or mulaw')
  return encoding
}
