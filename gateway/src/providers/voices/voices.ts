import type { ProviderRow } from '@switchroom/contract/providers'
import type { VoiceEntry } from '@switchroom/contract/speech'
import type { VoiceList, VoicesAsked } from '@switchroom/contract/voices'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { primaryTag } from '@switchroom/kit/languages'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { LentKeys } from '../lent-keys/lent-keys.ts'
import { noPlugin, notLent } from '../parsing/vendor-refusals.ts'
import { readLanguage } from '../parsing/voice-parsing.ts'
import { voicesInRow } from '../row/row-voices.ts'
import type { ProvidersRow } from '../row/row.ts'
import { unansweredBy } from './vendor-answers.ts'

/** The voices a person may choose from: the row's own first, then the vendor's. */
export class Voices {
  readonly #vendors: InstalledVendors
  readonly #row: ProvidersRow
  readonly #lentKeys: LentKeys
  readonly #timeoutMs: number

  constructor(vendors: InstalledVendors, row: ProvidersRow, lentKeys: LentKeys, timeoutMs: number) {
    this.#vendors = vendors
    this.#row = row
    this.#lentKeys = lentKeys
    this.#timeoutMs = timeoutMs
  }

  async list(caller: Caller, asked: VoicesAsked, gone: AbortSignal): Promise<VoiceList> {
    const row = await this.#row.read()
    const tts = asked.tts ?? row.defaults.tts
    const language = readLanguage(asked.language)
    const vendor = this.#vendors.get(tts)
    if (!vendor) throw badRequest(noPlugin(tts))
    const first = voicesInRow(row, tts)
    const lists = vendor.manifest?.stages.tts?.lists_voices === true
    const isListed = (first.length > 0 || lists) && (await vendor.whyBroken()) === null
    if (!vendor.does.includes('tts') || !isListed)
      throw notFound(`${tts} has no list of voices: name one that you know from the vendor`)
    const own = lists ? await this.#own(caller, vendor, row, gone) : []
    if (!own) throw notLent('tts', { vendor: tts })
    return { tts, language: language ?? null, voices: filtered([...first, ...own], language) }
  }

  /** As the vendor lists them, on the key that a call would use; null if there is none. */
  async #own(
    caller: Caller,
    vendor: InstalledVendor,
    row: ProviderRow,
    gone: AbortSignal,
  ): Promise<VoiceEntry[] | null> {
    const key = await this.#lentKeys.keyFor(caller, 'tts', { vendor: vendor.name })
    if (key.from === 'none') return voicesInRow(row, vendor.name).length > 0 ? [] : null
    const options = row.options[`tts/${vendor.name}`] ?? {}
    const signal = AbortSignal.any([gone, AbortSignal.timeout(this.#timeoutMs)])
    try {
      return await vendor.voices({ options, credentials: key.credentials }, signal)
    } catch (error) {
      throw unansweredBy(vendor.name, error)
    }
  }
}

/** Each voice once, filtered by language if one is named; a voice without a language speaks all. */
function filtered(voices: readonly VoiceEntry[], language: string | undefined): VoiceEntry[] {
  const seen = new Set<string>()
  return voices.filter((voice) => {
    const isOther =
      language !== undefined && voice.language !== null && primaryTag(voice.language) !== primaryTag(language)
    if (isOther || seen.has(voice.id)) return false
    seen.add(voice.id)
    return true
  })
}
