import type { Plan } from '@switchroom/contract/accounts'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { AskGrant, SpeechVoice } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { classFor } from '@switchroom/kit/manifest'
import { badRequest, listed } from '../../foundation/refusals.ts'
import type { NamedOrg } from '../lent-keys/lent-keys.ts'
import type { Rates } from '../rates/rates.ts'
import { defaultModel, splitWord } from '../parsing/stage-parsing.ts'
import { whyNoPlugin } from '../parsing/vendor-refusals.ts'
import { isListed, isPriced, noSuchModel, refuseBeyondPlan, type Chosen } from './chosen.ts'
import type { Admitted } from './admission.ts'
import { rowCatalogue, type SpeechCatalogue } from './speech-catalogue.ts'
import { badModel, badVoice, formatUnsupported } from './voice-refusals.ts'

const formats = ['pcm', 'wav', 'mp3']

export interface SpeechChoiceParts {
  vendors: InstalledVendors
  rates: Rates
  catalogue: SpeechCatalogue
}

/** Chooses the vendor, voice and model for speech. */
export class SpeechChoice {
  readonly #parts: SpeechChoiceParts

  constructor(parts: SpeechChoiceParts) {
    this.#parts = parts
  }

  async choose({ caller, account }: Admitted, asked: AskGrant, row: ProviderRow): Promise<Chosen> {
    const { response_format: format, language, speed } = asked
    if (asked.characters === undefined) throw badRequest('speech is granted by its characters')
    if (format !== undefined && !formats.includes(format))
      throw formatUnsupported('`response_format` is pcm, wav or mp3')
    const named = asked.model === null ? undefined : splitWord(asked.model)
    const ofModel = named && this.#vendorOf(named.vendor)
    if (ofModel) refuseFormat(ofModel, format)
    const { vendor, id } = await this.#voice(caller, asked.voice ?? '', ofModel, row)
    refuseFormat(vendor, format)
    if (asked.model !== null && !named) throw badModel('`model` is provider/model or provider/auto')
    const model = await this.#model(account.plan, vendor, named?.model, language, row)
    return {
      stage: 'tts',
      vendor,
      model,
      knobs: { voice: id, ...(language !== null && { language }), ...(speed !== undefined && { speed }) },
    }
  }

  #vendorOf(name: string): InstalledVendor {
    const why = whyNoPlugin(this.#parts.vendors, 'tts', name)
    const vendor = this.#parts.vendors.doing('tts', name)
    if (!vendor) throw badModel(`\`model\`: ${why}`)
    return vendor
  }

  /** `provider/alias`, or an id: of the model's vendor, else of the only vendor that has it. */
  async #voice(org: NamedOrg, voice: string, ofModel: InstalledVendor | undefined, row: ProviderRow) {
    const named = splitWord(voice)
    const vendor = named && this.#parts.vendors.doing('tts', named.vendor)
    if (!named || !vendor)
      return ofModel
        ? { vendor: ofModel, id: await this.#idOf(org, ofModel, voice, row, ({ id }) => id === voice) }
        : this.#onlyOne(org, voice, row)
    if (ofModel && ofModel !== vendor)
      throw badVoice(`\`voice\`: ${voice} is of ${vendor.name}, and \`model\` is of ${ofModel.name}`)
    const { model: word } = named
    const id = await this.#idOf(org, vendor, word, row, ({ alias }) => alias === word)
    return { vendor, id }
  }

  /** An unknown voice is passed to a vendor that has no complete list. */
  async #idOf(
    org: NamedOrg,
    vendor: InstalledVendor,
    word: string,
    row: ProviderRow,
    isMeant: (voice: SpeechVoice) => boolean,
  ): Promise<string> {
    const foundIn = (voices: readonly SpeechVoice[]) =>
      voices.find(isMeant) ?? voices.find(({ id }) => id === word)
    const inRow = foundIn(rowCatalogue(vendor.name, row)) // first, because this needs no vendor
    if (inRow) return inRow.id
    for (const list of ['list', 'listAnew'] as const) {
      const { voices, isWhole } = await this.#parts.catalogue.of(vendor, org, row, list)
      const found = foundIn(voices)
      if (found) return found.id
      if (!isWhole && word !== '') return word
    }
    throw badVoice(`\`voice\`: ${vendor.name} has no voice ${word}`)
  }

  async #onlyOne(org: NamedOrg, voice: string, row: ProviderRow) {
    const { catalogue } = this.#parts
    for (const list of ['list', 'listAnew'] as const) {
      const all = catalogue.vendors()
      const catalogues = await Promise.all(all.map((vendor) => catalogue.of(vendor, org, row, list)))
      const having = all.filter((_, i) => catalogues[i]?.voices.some(({ id }) => id === voice))
      const [vendor, ...more] = having
      if (vendor && more.length === 0) return { vendor, id: voice }
      if (vendor)
        throw badVoice(
          `\`voice\`: ${listed(having.map(({ name }) => name))} have a voice ${voice}: name it as provider/voice`,
        )
    }
    throw badVoice(`\`voice\`: there is no voice ${voice}: GET /v1/audio/voices lists them`)
  }

  async #model(
    plan: Plan,
    vendor: InstalledVendor,
    word: string | undefined,
    language: string | null,
    row: ProviderRow,
  ): Promise<string> {
    const { vendors } = this.#parts
    const rates = await this.#parts.rates.table()
    const auto = vendor.manifest?.stages.tts?.auto ?? {}
    const isAuto = word === undefined || word === 'auto'
    const model = isAuto
      ? (auto[language ?? '*'] ?? auto['*'] ?? defaultModel(vendors, row, 'tts', vendor.name))
      : word
    const named = { stage: 'tts', vendor, model } as const
    if (!isPriced(named, rates) && !isListed(named, row)) throw noSuchModel(named)
    const stage = vendor.manifest?.stages.tts
    if (!stage?.classes[classFor(stage, model)]?.knobs['voice'])
      throw badVoice(`\`voice\`: ${vendor.name} takes no voice`)
    refuseBeyondPlan(plan, named, rates)
    return model
  }
}

function refuseFormat({ name, manifest }: InstalledVendor, format: string | undefined) {
  const made = manifest?.stages.tts?.formats ?? formats
  if (format !== undefined && !made.includes(format))
    throw formatUnsupported(`\`response_format\`: ${name} makes ${listed(made)}`)
}
