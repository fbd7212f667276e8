import { primaryTag } from '@switchroom/kit/languages'

/** Languages that it names in its own way. */
const codes: Record<string, string> = {
  zh: 'cmn',
  'zh-hk': 'yue',
  'zh-mo': 'yue',
  nb: 'no',
  nn: 'no',
  fil: 'tl',
}
const tags: Record<string, string> = { cmn: 'zh', yue: 'zh' }

/** `en` of `en-GB`, and `cmn` of `zh-CN`; packs of several languages, such as `cmn_en`, stay as they are. */
export function codeOf(tag: string): string {
  const primary = primaryTag(tag)
  return codes[tag.toLowerCase()] ?? codes[primary] ?? primary
}

/** The two letters of a code; null if it is of several languages. */
export function tagOf(code: string | undefined): string | null {
  if (code === undefined) return null
  const tag = tags[code] ?? code
  return /^[a-z]{2}$/.test(tag) ? tag : null
}
