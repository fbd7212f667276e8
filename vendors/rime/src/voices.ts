import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Adapter } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { tagOf } from './languages.ts'

interface Listed {
  speaker: string
  modelId?: string
  lang?: string
  gender?: string
  /** A code, or a word. */
  country?: string
  dialect?: string
  description?: string
}

/** The voices of the model: its list has those of all. */
export const voices: NonNullable<Adapter['voices']> = async (setting, signal) => {
  const { base, headers, asked } = accountOf(setting)
  const answer = await ask(addressOf(base, '/data/voices/voice_details.json'), { headers, signal })
  const listed = await jsonOf(answer)
  if (!Array.isArray(listed)) throw silent('it sent no list of voices')
  const bySpeaker = Map.groupBy(
    (listed as Listed[]).filter(({ modelId }) => modelId === asked['modelId']),
    ({ speaker }) => speaker,
  )
  return [...bySpeaker.values()].flatMap(([first, ...others]) => (first ? [entryOf(first, others)] : []))
}

/** A voice that speaks several languages is listed with each. */
function entryOf({ speaker, lang, gender, country = '', dialect, description }: Listed, others: Listed[]) {
  return {
    id: speaker,
    name: speaker,
    language: others.length > 0 ? null : tagOf(lang),
    description: description || null,
    gender: gender?.toLowerCase() || null,
    country: /^[A-Z]{2}$/.test(country) ? country : null,
    accent: dialect || null,
  }
}
