import type { ProviderRow } from '@switchroom/contract/providers'
import type { Stage } from '@switchroom/contract/speech'
import type { InstalledVendor } from '@switchroom/kit/installed'
import type { ModelAccess } from '../access/model-access.ts'
import type { RateTable } from '../rates/rates.ts'
import { badModel } from './voice-refusals.ts'

/** What a request at a voice server runs on, and with which knobs. */
export interface Chosen {
  stage: Extract<Stage, 'stt' | 'tts'>
  vendor: InstalledVendor
  model: string
  knobs: Record<string, unknown>
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

export async function refuseBeyondPlan(
  modelAccess: ModelAccess,
  org: string,
  { stage, vendor, model }: Named,
) {
  if (!(await modelAccess.isOnPlan(org, stage, vendor.name, model)))
    throw badModel(`\`model\`: the org's plan does not allow ${vendor.name}/${model}`)
}
