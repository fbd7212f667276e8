import { longestWord } from '@switchroom/contract/knobs'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { classFor } from '@switchroom/kit/manifest'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { isLanguageTag } from './language-tags.ts'
import { defaultModel, readStageWord } from './stage-parsing.ts'
import { blank } from './vendor-refusals.ts'

/** A voice by its knobs; null is a blank knob. */
export interface VoiceKnobs {
  tts: string | null
  voice: string | null
  tts_model?: string | null
  language?: string | null
}

export interface WantedVoice {
  vendor: InstalledVendor
  model: string
  voice: string
  language: string | undefined
}

/** The voice that these knobs name; refuses the knob that no voice can be built from. */
export function readVoice(
  vendors: InstalledVendors,
  row: Pick<ProviderRow, 'models'>,
  words: VoiceKnobs,
): WantedVoice {
  const voice = readName('voice', words.voice)
  const named = readStageWord(vendors, row, 'tts', words.tts, '')
  const vendor = vendors.doing('tts', named.vendor)
  const stage = vendor?.manifest?.stages.tts
  if (!vendor || !stage) throw new Error(`${named.vendor} was read as a vendor of voices`)
  const chosen = words.tts_model === undefined ? undefined : readName('tts_model', words.tts_model)
  const model = chosen ?? defaultModel(vendors, row, 'tts', vendor.name)
  const taken = stage.classes[classFor(stage, model)]?.knobs ?? {}
  if (!taken['voice']) throw badRequest(`${vendor.name} takes no voice`)
  if (chosen !== undefined && !taken['tts_model']) throw badRequest(`${vendor.name} takes no tts_model`)
  return { vendor, model, voice, language: readLanguage(words.language) }
}

function readName(knob: 'voice' | 'tts_model', word: string | null): string {
  if (word === null || word.trim() === '') throw blank(knob)
  if (codePoints(word).length > longestWord)
    throw badRequest(`\`${knob}\` is at most ${longestWord} characters`)
  return word
}

export function readLanguage(tag: string | null | undefined): string | undefined {
  if (tag === undefined) return undefined
  if (tag === null || tag.trim() === '') throw blank('language')
  if (!isLanguageTag(tag)) throw badRequest('`language` is a tag such as en or pt-BR')
  return tag
}
