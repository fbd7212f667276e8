const slowMs = 1000

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Waits for a step and prints its name if it takes longer than a second. */
export async function step<Result>(doing: string, work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => say(`  ${doing} ...`), slowMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
