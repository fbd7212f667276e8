import type { VoiceEntry } from '@switchroom/contract/speech'
import { addressOf } from '@switchroom/kit/addresses'
import { primaryTag } from '@switchroom/kit/languages'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Setting } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'

const pageSize = 100
const mostPages = 50

interface Page {
  data?: Voice[]
  has_more?: boolean
}

interface Voice {
  id: string
  name?: string
  description?: string | null
  language?: string | null
  /** Its own first. */
  locales?: { locale: string }[]
  gender?: string | null
  country?: string | null
  accent?: string | null
}

const genders: Record<string, string> = { feminine: 'female', masculine: 'male', gender_neutral: 'neutral' }

/** The vendor's voices and the account's own. */
export async function voices(setting: Setting, signal: AbortSignal): Promise<VoiceEntry[]> {
  const { base, headers } = accountOf(setting)
  const found: VoiceEntry[] = []
  for (let page = 0; page < mostPages; page += 1) {
    const query = { limit: pageSize, starting_after: found.at(-1)?.id }
    const answer = await ask(addressOf(base, '/voices', query), { headers, signal })
    const { data = [], has_more: hasMore } = (await jsonOf(answer)) as Page
    found.push(...data.map(entryOf))
    if (data.length === 0 || hasMore === false) break
  }
  return found
}

function entryOf({ id, name, language, locales = [], ...said }: Voice): VoiceEntry {
  const languages = new Set(locales.map(({ locale }) => primaryTag(locale)))
  const locale = languages.size === 1 ? locales[0]?.locale : undefined
  return {
    id,
    name: name ?? id,
    language: languages.size > 1 ? null : (locale ?? language ?? null),
    description: said.description || null,
    gender: said.gender ? (genders[said.gender] ?? said.gender) : null,
    country: said.country ?? locale?.split('-')[1]?.toUpperCase() ?? null,
    accent: said.accent ?? null,
  }
}
