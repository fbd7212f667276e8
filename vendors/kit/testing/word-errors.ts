/** Words without case and punctuation. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[’']/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** How many words must be put in, left out or replaced to make one text of the other. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, at) => at)
  for (const [at, word] of said.entries()) {
    const next = [at + 1]
    for (const [other, heardWord] of heard.entries())
      next.push(
        Math.min(
          (row[other] ?? 0) + (word === heardWord ? 0 : 1),
          (row[other + 1] ?? 0) + 1,
          (next[other] ?? 0) + 1,
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
