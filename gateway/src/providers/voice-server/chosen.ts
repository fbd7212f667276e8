import type { Account, Plan } from '@switchroom/contract/accounts'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendor } from '@switchroom/kit/installed'
import { isAllowedOn } from '../access/plan-rules.ts'
import type { NamedOrg } from '../lent-keys/lent-keys.ts'
import type { RateTable } from '../rates/rates.ts'
import { badModel } from './voice-refusals.ts'

/** The vendor and model that serve a request at a voice server, and their knobs. */
export interface Chosen {
  stage: Extract<Stage, 'stt' | 'tts'>
  vendor: InstalledVendor
  model: string
  knobs: Record<string, unknown>
}

/** Whose request it is, with its account. */
export interface OrgAccount {
  caller: NamedOrg
  account: Account
}

type Named = Pick<Chosen, 'stage' | 'vendor' | 'model'>

export const isPriced = ({ stage, vendor, model }: Named, rates: RateTable) =>
  rates.find(stage, vendor.name, model) !== undefined

/** By the row, or by the vendor's own manifest. */
export function isListed({ stage, vendor, model }: Named, row: Pick<ProviderRow, 'models'>): boolean {
  const manifest = vendor.manifest?.stages[stage]
  const listed = [
    ...(row.models[`${stage}/${vendor.name}`] ?? []),
    ...Object.values(manifest?.auto ?? {}),
    manifest?.model,
  ]
  return listed.includes(model)
}

export const noSuchModel = ({ vendor, model }: Named) =>
  badModel(`\`model\`: ${vendor.name} has no model ${model} here`)

/** A model without a price is on every plan. */
export function isOnPlan(plan: Plan, { stage, vendor, model }: Named, rates: RateTable): boolean {
  const rate = rates.find(stage, vendor.name, model)
  return !rate || isAllowedOn(plan, rate.tier)
}

export function refuseBeyondPlan(plan: Plan, named: Named, rates: RateTable) {
  if (!isOnPlan(plan, named, rates))
    throw badModel(`\`model\`: the org's plan does not allow ${named.vendor.name}/${named.model}`)
}
