import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Adapter } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'

interface Listed {
  ShortName: string
  DisplayName?: string
  Gender?: string
  Locale?: string
  /** Of a voice that speaks several languages. */
  SecondaryLocaleList?: string[]
  StyleList?: string[]
  Status?: string
}

/** Hundreds of voices, in one answer. */
const mostListBytes = 16 * 1024 * 1024

/** The voices of the region. */
export const voices: NonNullable<Adapter['voices']> = async (setting, signal) => {
  const { base, headers } = accountOf(setting, 'voice')
  const answer = await ask(addressOf(base, '/cognitiveservices/voices/list'), { headers, signal })
  const listed = await jsonOf(answer, mostListBytes)
  if (!Array.isArray(listed)) throw silent('it sent no list of voices')
  return (listed as Listed[]).filter(({ Status }) => Status !== 'Deprecated').map(entryOf)
}

function entryOf({ ShortName: id, DisplayName: name, Locale: locale, ...said }: Listed) {
  const isMultilingual = (said.SecondaryLocaleList ?? []).length > 0
  return {
    id,
    name: name ?? id,
    language: isMultilingual ? null : (locale ?? null),
    description: said.StyleList?.length ? `styles: ${said.StyleList.join(', ')}` : null,
    gender: said.Gender?.toLowerCase() ?? null,
    country: locale?.split('-').at(-1)?.toUpperCase() ?? null,
    accent: null,
  }
}
