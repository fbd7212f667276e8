import type { ProviderRow } from '@switchroom/contract/providers'
import type { VoiceEntry } from '@switchroom/contract/speech'
import type { SpeechVoice, SpeechVoices, SpeechVoicesAsked } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { primaryTag } from '@switchroom/kit/languages'
import { notFound } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { LentKeys, NamedOrg } from '../lent-keys/lent-keys.ts'
import { voicesInRow } from '../row/row-voices.ts'
import type { ProvidersRow } from '../row/row.ts'
import { aliasesOf } from './aliases.ts'
import type { VendorVoices } from './vendor-voices.ts'

export interface CatalogueParts {
  vendors: InstalledVendors
  orgs: Orgs
  providersRow: ProvidersRow
  lentKeys: LentKeys
  vendorVoices: VendorVoices
}

/** The voices of one vendor, the row's first. */
export interface VendorCatalogue {
  voices: SpeechVoice[]
  /** Whether this is the vendor's complete list. */
  isWhole: boolean
}

/** The voices that an org may use, each with its vendor and alias. */
export class SpeechCatalogue {
  readonly #parts: CatalogueParts

  constructor(parts: CatalogueParts) {
    this.#parts = parts
  }

  async list({ org: id, env = 'sandbox', provider, language }: SpeechVoicesAsked): Promise<SpeechVoices> {
    const { orgs, providersRow } = this.#parts
    const [org, row] = await Promise.all([orgs.lookUp(id), providersRow.read()])
    if (!org) throw notFound(`there is no org ${id}`)
    const asked = this.vendors().filter(({ name }) => provider === undefined || name === provider)
    const named = { org: org.id, slug: org.slug, env }
    const catalogues = await Promise.all(asked.map((vendor) => this.of(vendor, named, row)))
    const voices = catalogues.flatMap(({ voices: all }) =>
      all.filter(({ languages }) => speaks(languages, language)).toSorted(byName),
    )
    return { voices }
  }

  /** Those that speak, by name. */
  vendors(): InstalledVendor[] {
    return this.#parts.vendors.all.filter(({ does }) => does.includes('tts'))
  }

  async of(
    vendor: InstalledVendor,
    org: NamedOrg,
    row: ProviderRow,
    list: 'list' | 'listAnew' = 'list',
  ): Promise<VendorCatalogue> {
    const own = await this.#listedBy(vendor, org, row, list)
    return {
      voices: withAliases(vendor.name, [...voicesInRow(row, vendor.name), ...(own ?? [])]),
      isWhole: own !== null,
    }
  }

  /** Null if the vendor lists none, does not answer, or has no key. */
  async #listedBy(vendor: InstalledVendor, org: NamedOrg, row: ProviderRow, list: 'list' | 'listAnew') {
    const { lentKeys, vendorVoices } = this.#parts
    if (vendor.manifest?.stages.tts?.lists_voices !== true) return null
    const { credentials } = await lentKeys.keyUnder(row, org, 'tts', { vendor: vendor.name })
    if (!credentials) return null
    const options = row.options[`tts/${vendor.name}`] ?? {}
    return vendorVoices[list](vendor, { options, credentials })
  }
}

/** Only the row's voices. */
export const rowCatalogue = (vendor: string, row: ProviderRow) =>
  withAliases(vendor, voicesInRow(row, vendor))

/** Each voice once, with every language it is listed for. */
function withAliases(provider: string, entries: readonly VoiceEntry[]): SpeechVoice[] {
  const voices = new Map<string, Omit<SpeechVoice, 'alias'>>()
  for (const { language, ...entry } of entries) {
    const voice = voices.get(entry.id) ?? { provider, ...entry, languages: [] }
    if (language !== null && !voice.languages.includes(language)) voice.languages.push(language)
    voices.set(entry.id, voice)
  }
  const all = [...voices.values()]
  const aliases = aliasesOf(all.map(({ name }) => name))
  return all.map((voice, i) => ({ ...voice, alias: aliases[i] ?? '' }))
}

const speaks = (languages: readonly string[], wanted: string | undefined) =>
  wanted === undefined || languages.some((tag) => primaryTag(tag) === primaryTag(wanted))

const byName = (a: SpeechVoice, b: SpeechVoice) =>
  a.name === b.name ? Number(a.id > b.id) - Number(a.id < b.id) : a.name < b.name ? -1 : 1
