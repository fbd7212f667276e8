import type { ProviderRow } from '@switchroom/contract/providers'
import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { AppErrorCode } from '@switchroom/contract/apps'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import type { OrgInEnvironment } from '../../providers/keys/provider-keys.ts'
import type { ModelAccess } from '../../providers/access/model-access.ts'
import type { Rates, RateTable } from '../../providers/rates/rates.ts'
import {
  defaultModel,
  splitWord,
  stageOf,
  type StageKnob,
  type VendorModel,
} from '../../providers/parsing/stage-parsing.ts'
import { noEndpoint, whyNoPlugin } from '../../providers/parsing/vendor-refusals.ts'
import type { ProvidersRow } from '../../providers/row/row.ts'
import { Layers, type Declared } from '../stages/layers.ts'
import { StageReading } from '../stages/stages.ts'

export interface DeclaredModelsParts {
  vendors: InstalledVendors
  providersRow: ProvidersRow
  rates: Rates
  modelAccess: ModelAccess
  orgJudge: (org: string) => Promise<string | null>
}

/** What a class names for a stage. */
interface Named extends VendorModel {
  knob: StageKnob
}

interface Reading {
  row: ProviderRow
  rates: RateTable
  layers: Layers
  orgJudge: string | null
}

const order: readonly StageKnob[] = ['llm', 'stt', 'judge', 'tts']

/** Whether an org may run the models that a class declares: priced, on its plan, and on a key. */
export class DeclaredModels {
  readonly #parts: DeclaredModelsParts

  constructor(parts: DeclaredModelsParts) {
    this.#parts = parts
  }

  async refuseForbidden(caller: OrgInEnvironment, declared: Declared): Promise<void> {
    const named = await this.#named(caller.org, declared)
    const judged = await Promise.all(
      named.map(async (model) => ({ ...model, ...(await this.#verdict(caller, model)) })),
    )
    for (const { knob, vendor, model, reason } of judged) {
      if (reason === 'unknown_model')
        throw coded('MODEL_NOT_ALLOWED', `\`${knob}\`: ${vendor}/${model} has no price on this platform`)
      if (reason === 'plan_restricted')
        throw coded('MODEL_NOT_ALLOWED', `\`${knob}\`: ${vendor}/${model} is not on the org's plan`)
    }
    for (const { knob, vendor, model, reason } of judged)
      if (reason === 'byok_key_required')
        throw coded(
          'PROVIDER_KEY_REQUIRED',
          vendor === endpointVendor
            ? `\`${knob}\`: ${noEndpoint(model)}`
            : `\`${knob}\`: ${vendor} runs on the org's own key, and the org brought none`,
        )
    for (const { knob, vendor } of judged) {
      const why = whyNoPlugin(this.#parts.vendors, stageOf(knob), vendor)
      if (why !== undefined) throw badRequest(`\`${knob}\`: ${why}`)
    }
  }

  #verdict(caller: OrgInEnvironment, { knob, vendor, model }: Named) {
    return this.#parts.modelAccess.verdict(caller, stageOf(knob), `${vendor}/${model}`)
  }

  async #named(org: string, declared: Declared): Promise<Named[]> {
    const { providersRow, rates, orgJudge } = this.#parts
    const [row, table, judge] = await Promise.all([providersRow.read(), rates.table(), orgJudge(org)])
    const reading = { row, rates: table, layers: new Layers(declared, []), orgJudge: judge }
    return order.flatMap((knob) => {
      const named = knob === 'tts' ? this.#voice(reading) : this.#word(knob, reading)
      return named ? [{ knob, ...named }] : []
    })
  }

  /** A voice alone is said by whichever vendor is in use. */
  #voice({ row, rates, layers }: Reading): VendorModel | undefined {
    const [tts, model] = [layers.get('tts'), layers.get('tts_model')]
    if (tts === undefined && model === undefined) return undefined
    const vendor = tts ?? row.defaults.tts
    return { vendor, model: model ?? this.#defaultModel('tts', vendor, row, rates) }
  }

  #word(knob: Exclude<StageKnob, 'tts'>, { row, rates, layers, orgJudge }: Reading): VendorModel | undefined {
    const word = layers.get(knob)
    if (word === undefined) return undefined
    const stage = stageOf(knob)
    const isVendor =
      this.#parts.vendors.doing(stage, word) !== undefined || rates.modelsOf(stage, word).length > 0
    const whole = splitWord(word)
    if (whole) return whole
    if (isVendor) return { vendor: word, model: this.#defaultModel(knob, word, row, rates) }
    const reading = new StageReading(this.#parts.vendors, row)
    return knob === 'judge' ? reading.judge(layers, orgJudge) : reading.stage(knob, layers)
  }

  /** Of a priced vendor that is not installed, the first that the table has. */
  #defaultModel(knob: StageKnob, vendor: string, row: ProviderRow, rates: RateTable): string {
    const stage = stageOf(knob)
    return defaultModel(this.#parts.vendors, row, stage, vendor) || (rates.modelsOf(stage, vendor)[0] ?? '')
  }
}

const coded = (code: AppErrorCode, sentence: string) => new Refusal(403, sentence, {}, code)
