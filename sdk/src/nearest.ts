/** The name that is meant, if it is mistyped by a few letters. */
export function nearest(mistyped: string, names: readonly string[]): string | undefined {
  const given = mistyped.toLowerCase().slice(0, 100)
  const most = Math.max(2, Math.floor(given.length / 3))
  const [first] = names
    .map((name) => ({ name, letters: distance(given, name.toLowerCase()) }))
    .filter(({ letters }) => letters <= most)
    .toSorted((a, b) => a.letters - b.letters)
  return first?.name
}

/** How many letters must be put in, taken out or replaced. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      line.push(Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1))
    }
    above = line
  }
  return above[to.length] ?? 0
}
