import type { ProviderRow } from '@switchroom/contract/providers'
import type { Options } from '@switchroom/contract/settings'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { builtClass } from '../../agents/stages/built-class.ts'
import type { Layers } from '../../agents/stages/layers.ts'
import { StageReading } from '../../agents/stages/stages.ts'
import type { KeySource } from '../../providers/lent-keys/stage-keys.ts'
import { stageOf, type StageKnob, type VendorModel } from '../../providers/parsing/stage-parsing.ts'

/** A vendor's model as a call runs it. */
export interface RunVendor extends VendorModel {
  builds: string | null
  options: Options
  source: KeySource
}

export interface StageRun {
  /** What the agent or, first of all, the row names. */
  named: RunVendor
  /** What is tried first, which is another if the one named fails just now. */
  first: RunVendor
  fallbacks: RunVendor[]
  /** Whether it is the platform's own chain, and not what the agent names for itself. */
  isDefault: boolean
}

export interface StagesRun {
  llm: StageRun
  /** Null if a realtime model hears and speaks for itself. */
  stt: StageRun | null
  tts: StageRun | null
}

export interface RunParts {
  vendors: InstalledVendors
  row: ProviderRow
  layers: Layers
  sourceOf: (knob: StageKnob, run: VendorModel) => KeySource
  /** Whether the program that runs the call may have such a key; a fallback without one is left out. */
  isHanded: (source: KeySource) => boolean
  /** The order in which a default chain is tried. */
  ordered: (chain: readonly RunVendor[]) => RunVendor[]
}

/** What each stage of a call runs on. */
export function stagesRun(parts: RunParts): StagesRun {
  const llm = stageRun('llm', parts)
  const isRealtime = builtClass(parts.vendors, 'llm', llm.first, llm.first.builds)?.isRealtime === true
  return {
    llm,
    stt: isRealtime ? null : stageRun('stt', parts),
    tts: isRealtime ? null : stageRun('tts', parts),
  }
}

function stageRun(stage: Stage, parts: RunParts): StageRun {
  const { vendors, row, layers, isHanded, ordered } = parts
  const read = new StageReading(vendors, row).stage(stage, layers)
  const named = runVendor(stage, read, parts)
  const rest = read.fallbacks
    .map((fallback) => runVendor(stage, { ...fallback, builds: null, options: {} }, parts))
    .filter(({ source }) => isHanded(source))
  if (read.isPinned) return { named, first: named, fallbacks: [], isDefault: false }
  const [first = named, ...fallbacks] = ordered([named, ...rest])
  return { named, first, fallbacks, isDefault: true }
}

/** Builds and options run on the org's own key alone: what was set before that key went stays out. */
export function runVendor(
  knob: StageKnob,
  { vendor, model, builds, options }: Omit<RunVendor, 'source'>,
  { row, sourceOf }: Pick<RunParts, 'row' | 'sourceOf'>,
): RunVendor {
  const source = sourceOf(knob, { vendor, model })
  const isOwn = source === 'own'
  const platforms = row.options[`${stageOf(knob)}/${vendor}`]
  return {
    vendor,
    model,
    builds: isOwn ? builds : null,
    options: { ...platforms, ...(isOwn && options) },
    source,
  }
}
