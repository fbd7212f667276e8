/** `pt` of `pt-BR`. */
export const primaryTag = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? ''

/** Whether two tags name one language, also under its older code: `no` and `nb-NO`, `tl` and `fil`. */
export const isSameLanguage = (one: string, other: string): boolean => currentTag(one) === currentTag(other)

/** Both written forms of Norwegian, which vendors name by either. */
const spokenAs: Record<string, string> = { nb: 'no', nn: 'no' }

function currentTag(tag: string): string {
  const primary = spokenAs[primaryTag(tag)] ?? primaryTag(tag)
  try {
    return new Intl.Locale(primary).language
  } catch {
    return primary // no tag at all
  }
}

let codes: Map<string, string> | undefined

/** `pt` of `Portuguese`, in English; null for an unknown language. */
export function codeOfLanguage(name: string): string | null {
  codes ??= codesByName() // not before it is needed: it takes a hundred milliseconds
  return codes.get(name.toLowerCase()) ?? null
}

function codesByName(): Map<string, string> {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return new Map(
    pairs.flatMap((code) => {
      const known = names.of(code)
      return known === undefined ? [] : [[known.toLowerCase(), code] as const]
    }),
  )
}
