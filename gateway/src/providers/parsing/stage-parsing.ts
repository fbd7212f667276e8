import { longestWord } from '@switchroom/contract/knobs'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { blank, whyNoPlugin } from './vendor-refusals.ts'

/** The knobs that name what a stage runs on. */
export type StageKnob = Stage | 'judge'

export interface VendorModel {
  vendor: string
  model: string
}

export const stageOf = (knob: StageKnob): Stage => (knob === 'judge' ? 'llm' : knob)

/** `vendor/model`: a model's own name may contain further slashes. */
export function splitWord(word: string): VendorModel | undefined {
  const slash = word.indexOf('/')
  return slash === -1 ? undefined : { vendor: word.slice(0, slash), model: word.slice(slash + 1) }
}

/** Parses a stage's value: `vendor/model`, only a vendor, or only a model of the vendor in use. */
export function readStageWord(
  vendors: InstalledVendors,
  row: Pick<ProviderRow, 'models'>,
  knob: StageKnob,
  word: string | null,
  vendorInUse: string,
): VendorModel {
  if (word === null || word.trim() === '') throw blank(knob)
  if (codePoints(word).length > longestWord)
    throw badRequest(`\`${knob}\` is at most ${longestWord} characters`)
  const stage = stageOf(knob)
  const named = namedBy(vendors, stage, word, vendorInUse)
  const why = whyNoPlugin(vendors, stage, named.vendor)
  if (why) throw badRequest(why)
  const model = named.model ?? defaultModel(vendors, row, stage, named.vendor)
  if (model.trim() === '') throw badRequest(`\`${knob}\` names no model of ${named.vendor}`)
  return { vendor: named.vendor, model }
}

function namedBy(
  vendors: InstalledVendors,
  stage: Stage,
  word: string,
  vendorInUse: string,
): { vendor: string; model?: string } {
  const whole = splitWord(word)
  if (stage === 'tts') {
    if (whole) throw badRequest('`tts` names a vendor alone: its model goes into `tts_model`')
    return { vendor: word }
  }
  return whole ?? (vendors.doing(stage, word) ? { vendor: word } : { vendor: vendorInUse, model: word })
}

/** A vendor's default model: the row's first, else the one in its manifest. */
export function defaultModel(
  vendors: InstalledVendors,
  row: Pick<ProviderRow, 'models'>,
  stage: Stage,
  vendor: string,
): string {
  const manifest = vendors.get(vendor)?.manifest?.stages[stage]
  return row.models[`${stage}/${vendor}`]?.[0] ?? manifest?.model ?? ''
}
