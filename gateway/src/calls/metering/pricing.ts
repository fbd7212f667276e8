import type { NewEntry } from '@switchroom/contract/log'
import { stages, type Stage } from '@switchroom/contract/stages'
import type { Rate } from '../../providers/rates/rate-file.ts'
import type { RateTable, Rates } from '../../providers/rates/rates.ts'

/** What a block of metrics counts of each unit that a rate may be for. */
const unitsIn: Record<Rate['unit'], readonly string[]> = {
  token: ['input_tokens', 'output_tokens'],
  audio_token: ['input_audio_tokens', 'output_audio_tokens'],
  minute: ['audio_s'],
  character: ['characters'],
}
const secondsInMinute = 60

/** Prices a call's usage, block by block, by the vendor and the model that ran. */
export class Pricing {
  readonly #rates: Rates

  constructor(rates: Rates) {
    this.#rates = rates
  }

  /** Adds to each block of metrics the credits that the org pays for it. */
  async priced(entries: readonly NewEntry[]): Promise<NewEntry[]> {
    if (!entries.some(({ type }) => type === 'metrics')) return [...entries]
    const table = await this.#rates.table()
    return entries.map((entry) =>
      entry.type === 'metrics'
        ? { ...entry, data: { ...entry.data, credits: creditsOf(table, entry.data) } }
        : entry,
    )
  }
}

/** Only usage on a lent key costs credits. */
export function creditsOf(
  table: RateTable,
  { stage, vendor, model, key, ...usage }: NewEntry['data'],
): number {
  if (key !== 'lent' || !isStage(stage)) return 0
  const rate = table.find(stage, String(vendor), String(model))
  if (!rate) return 0
  const counted = unitsIn[rate.unit].reduce((sum, name) => sum + amountOf(usage[name]), 0)
  const units = rate.unit === 'minute' ? counted / secondsInMinute : counted
  return roundedOf(units * rate.credits)
}

const isStage = (word: unknown): word is Stage => stages.some((stage) => stage === word)

const amountOf = (counted: unknown) =>
  typeof counted === 'number' && Number.isFinite(counted) && counted > 0 ? counted : 0

/** Rounds as accounts do, to drop floating-point noise. */
const roundedOf = (credits: number) => Math.round(credits * 1e9) / 1e9
