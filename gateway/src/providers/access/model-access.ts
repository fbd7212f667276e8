import type { Plan } from '@switchroom/contract/accounts'
import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { AccessReason, AccessVerdict, RateList } from '@switchroom/contract/rates'
import { stages, type Stage } from '@switchroom/contract/stages'
import { badRequest } from '../../foundation/refusals.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { OwnKeys } from '../lent-keys/own-keys.ts'
import type { OrgInEnvironment } from '../keys/provider-keys.ts'
import type { Rate } from '../rates/rate-file.ts'
import type { Rates, RateTable } from '../rates/rates.ts'
import { isAllowedOn } from './plan-rules.ts'

type RunsWithoutKey = (service: Stage, vendor: string) => boolean

/** The priced models, and which of them an org may run. */
export class ModelAccess {
  readonly #rates: Rates
  readonly #accounts: Accounts
  readonly #ownKeys: Pick<OwnKeys, 'has'>
  readonly #runsWithoutKey: RunsWithoutKey

  constructor(
    rates: Rates,
    accounts: Accounts,
    ownKeys: Pick<OwnKeys, 'has'>,
    runsWithoutKey: RunsWithoutKey,
  ) {
    this.#rates = rates
    this.#accounts = accounts
    this.#ownKeys = ownKeys
    this.#runsWithoutKey = runsWithoutKey
  }

  async list(): Promise<RateList> {
    const table = await this.#rates.table()
    const managedProviders = {
      stt: table.managedProviders('stt'),
      tts: table.managedProviders('tts'),
      llm: table.managedProviders('llm'),
    }
    return { models: [...table.records], managedProviders }
  }

  /** Whether the org's plan allows a model; one without a price is on every plan. */
  async isOnPlan(org: string, service: Stage, provider: string, model: string): Promise<boolean> {
    const rate = (await this.#rates.table()).find(service, provider, model)
    return !rate || isAllowedOn((await this.#accounts.read(org)).plan, rate.tier)
  }

  /** The model is `provider/model`, or a model name that only one provider has. */
  async verdict(caller: OrgInEnvironment, service: string, model: string): Promise<AccessVerdict> {
    const stage = stages.find((known) => known === service)
    if (!stage) throw badRequest('service is stt, tts or llm')
    if (model.trim() === '') throw badRequest('model is provider/model, or the name of a model')
    const rate = rateNamed(await this.#rates.table(), stage, model)
    const provider = rate?.provider ?? providerNamed(model)
    const run = provider === null ? null : { vendor: provider, model: model.slice(provider.length + 1) }
    const hasKey = run !== null && (await this.#ownKeys.has(caller, run))
    if (rate) return verdictOn(rate, (await this.#accounts.read(caller.org)).plan, hasKey)
    if (provider === endpointVendor) return verdictOnEndpoint(hasKey)
    const isPlatforms = provider !== null && this.#runsWithoutKey(stage, provider)
    return { provider, hasKey, requiresKey: false, ...(isPlatforms ? unpriced : unknown) }
  }
}

/** The platform's own engines have no price, so every plan allows them. */
const unpriced = { allowed: true, reason: 'ok', managed: true, planAllowed: true } as const
const unknown = { allowed: false, reason: 'unknown_model', managed: false, planAllowed: false } as const

/** An endpoint of the org's own has no price, and is on every plan. */
const verdictOnEndpoint = (isThere: boolean): AccessVerdict => ({
  provider: endpointVendor,
  hasKey: isThere,
  requiresKey: true,
  allowed: isThere,
  reason: isThere ? 'ok' : 'byok_key_required',
  managed: false,
  planAllowed: true,
})

function verdictOn({ provider, managed, tier }: Rate, plan: Plan, hasKey: boolean): AccessVerdict {
  const planAllowed = isAllowedOn(plan, tier)
  const requiresKey = !managed
  const reason: AccessReason = !planAllowed
    ? 'plan_restricted'
    : requiresKey && !hasKey
      ? 'byok_key_required'
      : 'ok'
  return { allowed: reason === 'ok', reason, provider, managed, planAllowed, hasKey, requiresKey }
}

function rateNamed(table: RateTable, service: Stage, model: string): Rate | undefined {
  const provider = providerNamed(model)
  const rate = provider === null ? undefined : table.find(service, provider, model.slice(provider.length + 1))
  return rate ?? table.findByModel(service, model) // a model's name may contain a slash
}

const providerNamed = (model: string) => (model.includes('/') ? model.slice(0, model.indexOf('/')) : null)
