import { longestWord } from '@switchroom/contract/knobs'
import { turnEnders, type ProviderRow } from '@switchroom/contract/providers'
import { stages, type Stage } from '@switchroom/contract/stages'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { isLanguageTag } from '../parsing/language-tags.ts'
import { splitWord } from '../parsing/stage-parsing.ts'

const longestLine = 400

/** Refuses malformed values, independent of the installed vendors. */
export function refuseMalformed(row: ProviderRow) {
  for (const { place, stage, word } of wordsOf(row)) refuseWord(place, stage, word)
  refuseModels(row.models)
  refuseVoices(row.voices)
  for (const [key, options] of Object.entries(row.options)) {
    refuseServiceKey('options', key)
    refuseAddress(`options.${key}`, options['base_url'])
  }
  refuseTurns(row)
  for (const [language, line] of Object.entries(row.lines)) {
    refuseLanguage('lines', language)
    if (!isText(line, longestLine)) throw badRequest(`lines.${language} is 1 to ${longestLine} characters`)
  }
  for (const [vendor, orgs] of Object.entries(row.withheld)) {
    refuseVendorName('withheld', vendor)
    if (typeof orgs === 'string' ? orgs !== 'all' : !orgs.every((org) => isText(org, longestWord)))
      throw badRequest(`withheld.${vendor} is a list of orgs, or all`)
  }
}

/** Every stage value in the row, with its path. */
export function wordsOf(row: ProviderRow): { place: string; stage: Stage; word: string }[] {
  const words = stages.flatMap((stage) => [
    { place: `defaults.${stage}`, stage, word: row.defaults[stage] },
    ...row.fallbacks[stage].map((word, i) => ({ place: `fallbacks.${stage}.${i}`, stage, word })),
  ])
  return row.judge === null ? words : [...words, { place: 'judge', stage: 'llm', word: row.judge }]
}

/** The parts of a key such as `llm/<vendor>`. */
export function splitKey(key: string): { stage: Stage; vendor: string } | undefined {
  const parts = splitWord(key)
  const stage = stages.find((known) => known === parts?.vendor)
  return parts && stage && isVendorName(parts.model) ? { stage, vendor: parts.model } : undefined
}

const isVendorName = (text: string) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(text)

const isText = (text: string, longest: number) => text.trim() !== '' && codePoints(text).length <= longest

function refuseWord(place: string, stage: Stage, word: string) {
  if (stage === 'tts') {
    if (!isVendorName(word)) throw badRequest(`${place} is a vendor alone, and "${word}" is none`)
    return
  }
  const parts = splitWord(word)
  if (!parts || !isVendorName(parts.vendor) || !isText(parts.model, longestWord))
    throw badRequest(`${place} is vendor/model, and "${word}" is not`)
}

function refuseModels(models: ProviderRow['models']) {
  for (const [key, names] of Object.entries(models)) {
    refuseServiceKey('models', key)
    if (!names.every((name) => isText(name, longestWord)))
      throw badRequest(`models.${key}: a model's name is 1 to ${longestWord} characters`)
  }
}

function refuseVoices(voices: ProviderRow['voices']) {
  for (const [vendor, byLanguage] of Object.entries(voices)) {
    refuseVendorName('voices', vendor)
    for (const [language, entries] of Object.entries(byLanguage)) {
      refuseLanguage(`voices.${vendor}`, language)
      for (const voice of entries) {
        const entry = typeof voice === 'string' ? { id: voice } : voice
        if (![entry.id, entry.name ?? entry.id].every((text) => isText(text, longestWord)))
          throw badRequest(
            `voices.${vendor}.${language}: a voice's id and name are 1 to ${longestWord} characters`,
          )
        if (entry.language != null) refuseLanguage(`voices.${vendor}.${language}`, entry.language)
      }
    }
  }
}

function refuseTurns({ end_of_turn, can_end_turn }: ProviderRow) {
  const keys = [
    ...Object.keys(end_of_turn).map((key) => ['end_of_turn', key] as const),
    ...can_end_turn.map((key) => ['can_end_turn', key] as const),
  ]
  for (const [place, key] of keys) {
    const parts = splitWord(key) ?? { vendor: key, model: 'any' }
    if (!isVendorName(parts.vendor) || !isText(parts.model, longestWord))
      throw badRequest(`${place} names a vendor or vendor/model, and "${key}" is neither`)
  }
  for (const [key, ender] of Object.entries(end_of_turn))
    if (!turnEnders.some((known) => known === ender))
      throw badRequest(`end_of_turn.${key} is one of ${listed(turnEnders)}`)
}

function refuseServiceKey(place: string, key: string) {
  if (!splitKey(key))
    throw badRequest(`${place} is by service/vendor, of the services ${listed(stages)}, and "${key}" is not`)
}

function refuseVendorName(place: string, name: string) {
  if (!isVendorName(name)) throw badRequest(`${place} is by vendor, and "${name}" is not the name of one`)
}

function refuseLanguage(place: string, language: string) {
  if (!isLanguageTag(language))
    throw badRequest(`${place}: "${language}" is not a language such as en or pt-BR`)
}

function refuseAddress(place: string, address: unknown) {
  if (address === undefined) return
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (!url || !['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) || url.username || url.password)
    throw badRequest(`${place}.base_url is an address of http, https, ws or wss without a user in it`)
}
