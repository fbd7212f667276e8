export const say = (line: string) => process.stdout.write(`${line}\n`)

export const median = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Says whether a measured ratio keeps its budget, and answers the same. */
export function judge(
  name: string,
  measured: number,
  budget: { atLeast: number } | { atMost: number },
): boolean {
  const [kept, limit] =
    'atLeast' in budget
      ? [measured >= budget.atLeast, `at least ${budget.atLeast}`]
      : [measured <= budget.atMost, `at most ${budget.atMost}`]
  say(`${kept ? 'kept  ' : 'BROKEN'} ${name}: ${measured.toFixed(2)} (budget ${limit})`)
  return kept
}
