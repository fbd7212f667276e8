import type { ProviderRow } from '@switchroom/contract/providers'
import type { AskGrant } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { classFor } from '@switchroom/kit/manifest'
import type { StageKeys } from '../lent-keys/stage-keys.ts'
import type { Rates, RateTable } from '../rates/rates.ts'
import { splitWord, type VendorModel } from '../parsing/stage-parsing.ts'
import { whyNoPlugin } from '../parsing/vendor-refusals.ts'
import {
  isListed,
  isOnPlan,
  isPriced,
  noSuchModel,
  refuseBeyondPlan,
  type Chosen,
  type OrgAccount,
} from './chosen.ts'
import defaults from '../../../default-transcribers.json' with { type: 'json' }
import { listed } from '../../foundation/refusals.ts'
import { badModel, diarizeUnsupported } from './voice-refusals.ts'

type Hearing = 'transcriptions' | 'streams'

export interface TranscriberChoiceParts {
  vendors: InstalledVendors
  rates: Rates
  stageKeys: StageKeys
}

/** Chooses the speech-to-text model, for a whole recording or live. */
export class TranscriberChoice {
  readonly #parts: TranscriberChoiceParts

  constructor(parts: TranscriberChoiceParts) {
    this.#parts = parts
  }

  async choose(admitted: OrgAccount, doing: Hearing, asked: AskGrant, row: ProviderRow): Promise<Chosen> {
    const rates = await this.#parts.rates.table()
    const diarize = asked.diarize ?? false
    const named =
      asked.model === null
        ? asked.translate
          ? await this.#translator(admitted, row, rates)
          : await this.#default(admitted, doing, diarize, row, rates)
        : this.#named(doing, asked.model)
    const chosen = { stage: 'stt', ...named } as const
    refuseUnknown(doing, chosen, row, rates)
    if (asked.translate && !translationsOf(chosen.vendor).includes(chosen.model))
      throw badModel(
        `\`model\`: ${chosen.vendor.name}/${chosen.model} does not translate: transcribe it instead`,
      )
    refuseBeyondPlan(admitted.account.plan, chosen, rates)
    if (diarize && !tellsSpeakersApart(doing, chosen))
      throw diarizeUnsupported(
        `\`diarize\`: ${chosen.vendor.name}/${chosen.model} does not tell speakers apart here`,
      )
    const knobs = {
      ...(asked.language !== null && { language: asked.language }),
      ...(diarize && { diarize }),
    }
    return { ...chosen, knobs }
  }

  /** The first of the default models that has a key and offers the service; else one that needs no key. */
  async #default(
    { caller, account }: OrgAccount,
    doing: Hearing,
    diarize: boolean,
    row: ProviderRow,
    rates: RateTable,
  ) {
    const { vendors, stageKeys } = this.#parts
    for (const run of defaults[doing].map(wholeWord)) {
      const vendor = vendors.doing('stt', run.vendor)
      if (!vendor) continue
      const named = { stage: 'stt', vendor, model: run.model } as const
      if (diarize && !tellsSpeakersApart(doing, named)) continue
      if (!isOnPlan(account.plan, named, rates)) continue
      if (await stageKeys.find(caller, 'stt', run, row)) return named
    }
    const vendor = vendors.doing('stt', defaults.otherwise)
    const model = vendor?.manifest?.stages.stt?.model
    const key =
      vendor &&
      model !== undefined &&
      (await stageKeys.find(caller, 'stt', { vendor: vendor.name, model }, row))
    if (!key)
      throw badModel('`model`: no model has a key to run on: bring one of your own, or name another model')
    return { vendor, model }
  }

  /** The first model that translates and has a key. */
  async #translator({ caller, account }: OrgAccount, row: ProviderRow, rates: RateTable) {
    const { vendors, stageKeys } = this.#parts
    const all = vendors.all.flatMap((vendor) => translationsOf(vendor).map((model) => ({ vendor, model })))
    for (const { vendor, model } of all) {
      if (!isOnPlan(account.plan, { stage: 'stt', vendor, model }, rates)) continue
      if (await stageKeys.find(caller, 'stt', { vendor: vendor.name, model }, row)) return { vendor, model }
    }
    const able = all.map(({ vendor, model }) => `${vendor.name}/${model}`)
    throw badModel(
      able.length > 0
        ? `\`model\`: ${listed(able)} can translate, and has no key to run on here: bring one of your own`
        : '`model`: no vendor of this deployment translates: transcribe it instead',
    )
  }

  /** `provider/model`, or a provider: its first default model, else its manifest's. */
  #named(doing: Hearing, word: string): { vendor: InstalledVendor; model: string } {
    const { vendors } = this.#parts
    const whole = splitWord(word)
    const name = whole?.vendor ?? word
    const vendor = vendors.doing('stt', name)
    if (!vendor) throw badModel(`\`model\`: ${whyNoPlugin(vendors, 'stt', name)}`)
    const ofSet = defaults[doing].map(wholeWord).find((run) => run.vendor === name)
    return { vendor, model: whole?.model ?? ofSet?.model ?? vendor.manifest?.stages.stt?.model ?? '' }
  }
}

function refuseUnknown(doing: Hearing, chosen: Omit<Chosen, 'knobs'>, row: ProviderRow, rates: RateTable) {
  const { vendor, model } = chosen
  const isKnown = isListed(chosen, row) || isOfSet(doing, chosen)
  const isPaid = vendor.needsKey && doing === 'streams' // a model without a rate is not run live
  if (!isPriced(chosen, rates) && (isPaid || !isKnown)) throw noSuchModel(chosen)
  const manifest = vendor.manifest?.stages.stt
  if (doing === 'transcriptions' && manifest?.batch !== true)
    throw badModel(`\`model\`: ${vendor.name} listens live alone`)
  if (doing === 'streams' && classOf(chosen)?.streams !== true)
    throw badModel(`\`model\`: ${vendor.name}/${model} does not listen live`)
}

const translationsOf = ({ manifest }: InstalledVendor) => manifest?.stages.stt?.translates ?? []

/** Every default model has this form. */
const wholeWord = (word: string): VendorModel => splitWord(word) ?? { vendor: word, model: '' }

const isOfSet = (doing: Hearing, { vendor, model }: Pick<Chosen, 'vendor' | 'model'>) =>
  defaults[doing].includes(`${vendor.name}/${model}`)

function classOf({ vendor, model }: Pick<Chosen, 'vendor' | 'model'>) {
  const manifest = vendor.manifest?.stages.stt
  return manifest?.classes[classFor(manifest, model)]
}

/** Only default models run live. */
function tellsSpeakersApart(doing: Hearing, chosen: Pick<Chosen, 'vendor' | 'model'>): boolean {
  if (classOf(chosen)?.knobs['diarize'] === undefined) return false
  const does = chosen.vendor.manifest?.stages.stt?.diarize
  return doing === 'streams' ? does?.live === true && isOfSet(doing, chosen) : does?.batch === true
}
