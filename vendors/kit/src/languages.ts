/** `pt` of `pt-BR`. */
export const primaryTag = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? ''

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
