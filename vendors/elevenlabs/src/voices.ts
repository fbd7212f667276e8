import type { VoiceEntry } from '@switchroom/contract/speech'
import { addressOf } from '@switchroom/kit/addresses'
import { primaryTag } from '@switchroom/kit/languages'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Setting } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'

const pageSize = 100
const mostPages = 50

interface Page {
  voices?: Voice[]
  has_more?: boolean
  next_page_token?: string | null
}

interface Voice {
  voice_id: string
  name?: string
  description?: string | null
  labels?: { language?: string; gender?: string; accent?: string; description?: string } | null
  verified_languages?: { language: string; locale?: string | null }[] | null
}

/** What the account may speak with: its own voices, those it added, and the vendor's. */
export async function voices(setting: Setting, signal: AbortSignal): Promise<VoiceEntry[]> {
  const { base, headers } = accountOf(setting)
  const found: VoiceEntry[] = []
  let next: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const query = { page_size: pageSize, include_total_count: false, next_page_token: next }
    const answer = await ask(addressOf(base, '/v2/voices', query), { headers, signal })
    const { voices: listed = [], has_more: hasMore, next_page_token: token } = (await jsonOf(answer)) as Page
    found.push(...listed.map(entryOf))
    if (!hasMore || !token) break
    next = token
  }
  return found
}

function entryOf({
  voice_id: id,
  name,
  description,
  labels,
  verified_languages: verified,
}: Voice): VoiceEntry {
  const tags = [labels?.language, ...(verified ?? []).map(({ language }) => language)]
  const languages = new Set(tags.flatMap((tag) => (tag ? [primaryTag(tag)] : [])))
  const [only] = languages.size === 1 ? languages : []
  const locale = only === undefined ? undefined : verified?.find((spoken) => spoken.locale)?.locale
  return {
    id,
    name: name ?? id,
    language: locale ?? only ?? null,
    description: description || labels?.description || null,
    gender: labels?.gender ?? null,
    country: locale?.split('-')[1]?.toUpperCase() ?? null,
    accent: labels?.accent ?? null,
  }
}
