const longestName = 64

/** The known name that this one is a slip of the keyboard away from, if there is one. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  const bare = withoutStyle(name)
  const same = known.find((one) => withoutStyle(one) === bare)
  if (same !== undefined) return same
  const near = known
    .map((one) => ({ one, slips: slipsBetween(bare, withoutStyle(one)) }))
    .filter(({ one, slips }) => slips <= slipsAllowed(one))
    .toSorted((a, b) => a.slips - b.slips)
  return near[0]?.one
}

/** `maxDuration` and `max_duration` are the same name to a person. */
const withoutStyle = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Of short names nearly every other is near. */
const slipsAllowed = ({ length }: string) => (length < 4 ? 0 : length < 6 ? 1 : 2)

/** How many letters were left out, added, changed or swapped; 3 stands for more than matter. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const least = Math.min(changed, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 3
}
