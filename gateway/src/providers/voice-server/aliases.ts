/** The aliases of one vendor's voices: their names in lower case, with a number after a repeated name. */
export function aliasesOf(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const first = name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    let alias = first
    for (let number = 2; taken.has(alias); number += 1) alias = `${first}-${number}`
    taken.add(alias)
    return alias
  })
}
