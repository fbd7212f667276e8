import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import { defaultModel } from '../parsing/stage-parsing.ts'
import type { ProvidersRow } from '../row/row.ts'
import { tryStage } from '../trials/trials.ts'

const trialsAMinute = { name: 'provider key trial', tries: 20, windowMs: minuteMs }
/** A person waits for it. */
const longestMs = 5 * secondMs
/** The cheapest request first: a word, a short line, half a second of silence. */
const cheapestFirst = ['llm', 'tts', 'stt'] as const
const line = 'Hello.'

export interface KeyTrialParts {
  vendors: InstalledVendors
  providersRow: ProvidersRow
  rateCounts: RateCounts
  trialTimeoutMs: number
}

/** Asks a vendor for something small with a key that an org is about to keep. */
export class KeyTrial {
  readonly #parts: KeyTrialParts

  constructor(parts: KeyTrialParts) {
    this.#parts = parts
  }

  /** Throws the vendor's no, in its own words; answers a sentence if the vendor said neither yes nor no. */
  async try(org: string, vendor: InstalledVendor, credentials: Credentials): Promise<string | null> {
    const { vendors, providersRow, rateCounts, trialTimeoutMs } = this.#parts
    const stage = cheapestFirst.find((each) => vendor.does.includes(each))
    if (!stage) return `${vendor.name} has nothing to try the key with`
    await rateCounts.admit(
      trialsAMinute,
      [org],
      'this org tried twenty provider keys in a minute: wait a little before the next',
    )
    const row = await providersRow.read()
    const choice = {
      model: defaultModel(vendors, row, stage, vendor.name),
      options: row.options[`${stage}/${vendor.name}`] ?? {},
      credentials,
    }
    try {
      await tryStage({ stage, vendor, line, choice }, Math.min(trialTimeoutMs, longestMs))
      return null
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 502) throw error
      return `${vendor.name} did not answer: the key is kept untried`
    }
  }
}
