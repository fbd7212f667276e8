import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Adapter } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'

interface Listed {
  voiceId: string
  displayName?: string
  /** Such as `EN_US`. */
  langCode?: string
  description?: string
  tags?: string[]
}

const genders = new Set(['female', 'male', 'neutral'])

/** The vendor's voices and the account's own. */
export const voices: NonNullable<Adapter['voices']> = async (setting, signal) => {
  const { base, headers } = accountOf(setting)
  const answer = await ask(addressOf(base, '/voices/v1/voices'), { headers, signal })
  const { voices: listed } = (await jsonOf(answer)) as { voices?: Listed[] }
  if (!Array.isArray(listed)) throw silent('it sent no list of voices')
  return listed.map(entryOf)
}

function entryOf({ voiceId: id, displayName, langCode = '', description, tags = [] }: Listed) {
  const [language, country] = langCode.split(/[-_]/)
  return {
    id,
    name: displayName || id,
    language: language
      ? [language.toLowerCase(), ...(country ? [country.toUpperCase()] : [])].join('-')
      : null,
    description: description || null,
    gender: tags.map((tag) => tag.toLowerCase()).find((tag) => genders.has(tag)) ?? null,
    country: country?.toUpperCase() ?? null,
    accent: null,
  }
}
