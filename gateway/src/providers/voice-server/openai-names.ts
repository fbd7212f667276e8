import { isOpenAiModel, isOpenAiVoice } from '@switchroom/contract/openai-names'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { AskGrant } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import type { StageKeys } from '../lent-keys/stage-keys.ts'
import { defaultModel, splitWord } from '../parsing/stage-parsing.ts'
import type { Rates } from '../rates/rates.ts'
import { isListed, isOnPlan, isPriced, type OrgAccount } from './chosen.ts'
import names from '../../../openai-names.json' with { type: 'json' }
import { similarVoice } from './similar-voice.ts'
import type { SpeechCatalogue } from './speech-catalogue.ts'
import { badModel } from './voice-refusals.ts'

export interface OpenAiNamesParts {
  vendors: InstalledVendors
  rates: Rates
  stageKeys: StageKeys
  catalogue: SpeechCatalogue
}

type Run = { stage: 'stt' | 'tts'; vendor: InstalledVendor; model: string }

/** What runs here under the names of OpenAI's models and voices: OpenAI itself if it has a key, else what there is. */
export class OpenAiNames {
  readonly #parts: OpenAiNamesParts

  constructor(parts: OpenAiNamesParts) {
    this.#parts = parts
  }

  /** The same request in the names of this deployment. */
  async inOurNames(admitted: OrgAccount, asked: AskGrant, row: ProviderRow): Promise<AskGrant> {
    if (asked.doing === 'speech') return this.#speech(admitted, asked, row)
    if (!isOpenAiModel('stt', asked.model)) return asked
    const run = asked.diarize ? undefined : await this.transcriber(admitted, asked.model, row)
    return { ...asked, model: run ? `${run.vendor.name}/${run.model}` : null }
  }

  /** Undefined if it is none of OpenAI's that runs here: then the deployment's default does. */
  transcriber(admitted: OrgAccount, model: string, row: ProviderRow): Promise<Run | undefined> {
    return this.#running(admitted, 'stt', [{ name: names.vendor, model }], row)
  }

  /** The vendor that speaks under such a name. */
  speaker(admitted: OrgAccount, model: string | null, row: ProviderRow): Promise<Run | undefined> {
    const others = [row.defaults.tts, ...row.fallbacks.tts, names.otherwise]
    const asNamed = model === null ? [] : [{ name: names.vendor, model }]
    const choices = [...asNamed, ...[names.vendor, ...others].map((name) => ({ name, model: null }))]
    return this.#running(admitted, 'tts', choices, row)
  }

  async #speech(admitted: OrgAccount, asked: AskGrant, row: ProviderRow): Promise<AskGrant> {
    const isTheirs = isOpenAiModel('tts', asked.model)
    const voice = asked.voice ?? ''
    if (!isOpenAiVoice(voice)) return isTheirs ? { ...asked, model: null } : asked
    if (asked.model !== null && !isTheirs) {
      const vendor = this.#parts.vendors.doing('tts', splitWord(asked.model)?.vendor ?? '')
      return vendor ? { ...asked, voice: await this.#voiceOf(vendor, admitted, asked, row) } : asked
    }
    const run = await this.speaker(admitted, asked.model, row)
    if (!run)
      throw badModel('`model`: no voice has a key to run on: bring one of your own, or name another model')
    const { vendor, model } = run
    return {
      ...asked,
      model: `${vendor.name}/${model}`,
      voice: await this.#voiceOf(vendor, admitted, asked, row),
    }
  }

  async #voiceOf(
    vendor: InstalledVendor,
    { caller }: OrgAccount,
    { voice = '', language }: AskGrant,
    row: ProviderRow,
  ): Promise<string> {
    if (vendor.name === names.vendor) return `${vendor.name}/${voice}`
    const { voices } = await this.#parts.catalogue.of(vendor, caller, row)
    const same = voices.find(({ id, alias }) => id === voice || alias === voice)
    const found = same ?? similarVoice(voice, voices, language)
    return `${vendor.name}/${found?.id ?? voice}`
  }

  /** The first that is installed, known, on the org's plan, and has a key; without a model, the vendor's default. */
  async #running(
    { caller, account }: OrgAccount,
    stage: Run['stage'],
    choices: readonly { name: string; model: string | null }[],
    row: ProviderRow,
  ): Promise<Run | undefined> {
    const { vendors, stageKeys } = this.#parts
    const rates = await this.#parts.rates.table()
    for (const choice of choices) {
      const vendor = vendors.doing(stage, choice.name)
      if (!vendor) continue
      const usual =
        vendor.manifest?.stages[stage]?.auto?.['*'] ?? defaultModel(vendors, row, stage, choice.name)
      const run: Run = { stage, vendor, model: choice.model ?? usual }
      if (!isPriced(run, rates) && !isListed(run, row)) continue
      if (!isOnPlan(account.plan, run, rates)) continue
      if (await stageKeys.find(caller, stage, { vendor: vendor.name, model: run.model }, row)) return run
    }
    return undefined
  }
}
