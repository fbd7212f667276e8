import type { Grant } from '@switchroom/contract/voice-server'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { Refusal } from '../foundation/refusals.ts'

/** The vendor that a grant names; more may be installed beside the gateway than here. */
export function vendorOf(vendors: InstalledVendors, stage: 'stt' | 'tts', grant: Grant): InstalledVendor {
  const vendor = vendors.doing(stage, grant.vendor)
  if (!vendor)
    throw new Refusal(502, 'UPSTREAM_ERROR', `${grant.vendor} is not installed on this voice server`)
  return vendor
}

/** What a vendor's text-to-speech or speech-to-text is built from. */
export const choiceOf = ({ model, builds, knobs, options, credentials }: Grant) => ({
  model,
  builds: builds ?? undefined,
  knobs,
  options,
  credentials,
})
