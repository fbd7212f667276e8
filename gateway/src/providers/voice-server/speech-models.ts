import { openAiModels } from '@switchroom/contract/openai-names'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { SpeechModel, SpeechModels, SpeechModelsAsked } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { notFound, Refusal } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { OwnKeys } from '../lent-keys/own-keys.ts'
import type { StageKeys } from '../lent-keys/stage-keys.ts'
import type { Rates, RateTable } from '../rates/rates.ts'
import type { ProvidersRow } from '../row/row.ts'
import { isOnPlan, type OrgAccount } from './chosen.ts'
import type { OpenAiNames } from './openai-names.ts'
import type { TranscriberChoice } from './transcriber-choice.ts'

export interface SpeechModelsParts {
  vendors: InstalledVendors
  orgs: Orgs
  accounts: Accounts
  providersRow: ProvidersRow
  rates: Rates
  ownKeys: OwnKeys
  stageKeys: StageKeys
  transcriberChoice: TranscriberChoice
  openAiNames: OpenAiNames
}

/** The models that an org may name at a voice server, the names of OpenAI among them. */
export class SpeechModelList {
  readonly #parts: SpeechModelsParts

  constructor(parts: SpeechModelsParts) {
    this.#parts = parts
  }

  async list({ org: id, env = 'sandbox' }: SpeechModelsAsked): Promise<SpeechModels> {
    const { orgs, accounts, providersRow, rates } = this.#parts
    const [org, row, table] = await Promise.all([orgs.lookUp(id), providersRow.read(), rates.table()])
    if (!org) throw notFound(`there is no org ${id}`)
    const of = { caller: { org: org.id, slug: org.slug, env }, account: await accounts.read(org.id) }
    const speaking = await this.#own('tts', of, row, table)
    const hearing = await this.#own('stt', of, row, table)
    return { models: [...(await this.#theirs(of, row)), ...speaking, ...hearing] }
  }

  async #own(
    stage: 'stt' | 'tts',
    { caller, account }: OrgAccount,
    row: ProviderRow,
    rates: RateTable,
  ): Promise<SpeechModel[]> {
    const { vendors, stageKeys, ownKeys } = this.#parts
    const sourceOf = await stageKeys.sourcesUnder(row, caller, await ownKeys.vendors(caller))
    const does = stage === 'tts' ? 'speech' : 'transcriptions'
    const models: SpeechModel[] = []
    for (const vendor of vendors.all.filter((one) => one.does.includes(stage))) {
      if (stage === 'stt' && vendor.manifest?.stages.stt?.batch !== true) continue
      for (const model of modelsOf(vendor, stage, row, rates)) {
        if (!isOnPlan(account.plan, { stage, vendor, model }, rates)) continue
        if (sourceOf(stage, { vendor: vendor.name, model }) === 'missing') continue
        models.push({ id: `${vendor.name}/${model}`, provider: vendor.name, does })
      }
    }
    return models
  }

  /** A name is listed if something runs under it. */
  async #theirs(of: OrgAccount, row: ProviderRow): Promise<SpeechModel[]> {
    const { openAiNames } = this.#parts
    const usual = await this.#usualTranscriber(of, row)
    const models: SpeechModel[] = []
    for (const id of openAiModels.tts) {
      const run = await openAiNames.speaker(of, id, row)
      if (run) models.push({ id, provider: run.vendor.name, does: 'speech' })
    }
    for (const id of openAiModels.stt) {
      const provider = (await openAiNames.transcriber(of, id, row))?.vendor.name ?? usual
      if (provider !== undefined) models.push({ id, provider, does: 'transcriptions' })
    }
    return models
  }

  async #usualTranscriber(of: OrgAccount, row: ProviderRow): Promise<string | undefined> {
    const asked = { doing: 'transcriptions', model: null, language: null } as const
    try {
      return (await this.#parts.transcriberChoice.choose(of, 'transcriptions', asked, row)).vendor.name
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}

function modelsOf(
  vendor: InstalledVendor,
  stage: 'stt' | 'tts',
  row: ProviderRow,
  rates: RateTable,
): string[] {
  const manifest = vendor.manifest?.stages[stage]
  const all = [
    ...(row.models[`${stage}/${vendor.name}`] ?? []),
    ...Object.values(manifest?.auto ?? {}),
    ...(manifest ? [manifest.model] : []),
    ...rates.modelsOf(stage, vendor.name),
  ]
  return [...new Set(all)]
}
