import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { badRequest } from '../../foundation/refusals.ts'

/** Why the vendor cannot run the stage: it is not installed, or does not offer it. */
export function whyNoPlugin(vendors: InstalledVendors, stage: Stage, vendor: string): string | undefined {
  if (vendors.doing(stage, vendor)) return undefined
  return `${noPlugin(vendor)}${vendors.get(vendor) ? ` that does ${stage}` : ''}`
}

export const noPlugin = (vendor: string) => `this build has no plugin for ${vendor}`

export const blank = (knob: string) => badRequest(`\`${knob}\` is blank`)

/** The refusal of a vendor for which this org has no key. */
export const notLent = (knob: string, { vendor, model }: { vendor: string; model?: string }) =>
  badRequest(
    vendor === endpointVendor && model !== undefined
      ? `\`${knob}\`: ${noEndpoint(model)}`
      : `\`${knob}\`: the platform lends this org no ${vendor}, and the org brought no key for it`,
  )

export const noEndpoint = (name: string) =>
  `this org has no model endpoint ${name} in this environment: create it with POST /v1/model-endpoints`
