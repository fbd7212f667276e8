import { oneOf } from '@switchroom/contract/shapes'
import { stages, type Stage } from '@switchroom/contract/stages'
import { Ajv } from 'ajv'
import { Type, type Static } from 'typebox'

export const tiers = ['basic', 'premium'] as const
export type Tier = (typeof tiers)[number]

const units = ['token', 'audio_token', 'minute', 'character'] as const
const unitsOf: Record<Stage, readonly (typeof units)[number][]> = {
  llm: ['token', 'audio_token'],
  stt: ['minute'],
  tts: ['character'],
}

const Rate = Type.Object({
  service: oneOf(stages),
  provider: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,31}$' }),
  model: Type.String({ pattern: String.raw`^\S(.*\S)?$` }),
  managed: Type.Boolean(),
  tier: oneOf(tiers),
  unit: oneOf(units),
  credits: Type.Number({ minimum: 0 }),
})
/** What one unit of a model costs, and who may run it. */
export type Rate = Static<typeof Rate>

const isRate = new Ajv({ strict: false }).compile<Rate>(Rate)

/** The rows of a rate file by service, provider and model. Throws the end of a sentence that says what is wrong. */
export function readRates(text: string): Rate[] {
  const rows = parsed(text)
  if (!Array.isArray(rows)) throw new Error('is not a list of rates')
  const rates = rows.map(rateOf)
  const names = new Set<string>()
  for (const rate of rates) {
    const name = nameOf(rate)
    if (names.has(name)) throw new Error(`names ${name} twice`)
    names.add(name)
  }
  return rates.toSorted(
    (a, b) => order(a.service, b.service) || order(a.provider, b.provider) || order(a.model, b.model),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
}

function rateOf(row: unknown, at: number): Rate {
  const where = `is wrong in row ${at + 1}`
  if (!isRate(row)) {
    const { instancePath = '', message } = isRate.errors?.[0] ?? {}
    throw new Error(`${where}: ${instancePath.slice(1) || 'it'} ${message ?? 'is no rate'}`)
  }
  const wanted = unitsOf[row.service]
  if (!wanted.includes(row.unit))
    throw new Error(`${where}: ${row.service} is billed by ${wanted.join(' or ')}, not by ${row.unit}`)
  return row
}

const nameOf = ({ service, provider, model }: Rate) => `${service} ${provider}/${model}`

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))
