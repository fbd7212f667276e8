export const say = (line: string) => process.stdout.write(`${line}\n`)

export const percentile = (numbers: readonly number[], percent: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length * percent) / 100)] ?? Number.NaN

export const median = (numbers: readonly number[]) => percentile(numbers, 50)

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
