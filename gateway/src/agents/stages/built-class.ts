import type { InstalledVendors } from '@switchroom/kit/installed'
import { classFor, classNamed, type StageManifest, type VendorClass } from '@switchroom/kit/manifest'
import { stageOf, type StageKnob, type VendorModel } from '../../providers/parsing/stage-parsing.ts'

/** The class of a vendor's plugin that a stage is built of. */
export interface BuiltClass extends VendorModel {
  name: string
  manifest: StageManifest
  /** The names of its secrets, which no setting may carry. */
  credentials: readonly string[]
  takes: readonly string[]
  knobs: VendorClass['knobs']
  streams: boolean
  isRealtime: boolean
}

/** Undefined if the plugin is not installed or has no such class. */
export function builtClass(
  vendors: InstalledVendors,
  knob: StageKnob,
  { vendor, model }: VendorModel,
  builds: string | null,
): BuiltClass | undefined {
  const declared = vendors.get(vendor)?.manifest
  const manifest = declared?.stages[stageOf(knob)]
  if (!declared || !manifest) return undefined
  const name = classFor(manifest, model, builds ?? undefined)
  const found = classNamed(manifest, name)
  if (!found) return undefined
  const { takes, knobs, streams, realtime = false } = found
  const credentials = declared.credentials.fields
  return { vendor, model, name, manifest, credentials, takes, knobs, streams, isRealtime: realtime }
}
