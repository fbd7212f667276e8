import { availableParallelism } from 'node:os'

/** A program of a run: a test file, or one that runs several of them. */
export interface TestProgram {
  path: string
  kind: 'busy' | 'sound' | 'quiet'
}

/** How many run together for each pair of cores: those of sound mostly wait, and the others wait for processes. */
const mostOfAPair = { busy: 2, sound: 2 }

/** Which programs start now, earlier ones before later ones; a quiet one only when nothing else runs any more. */
export function startable(
  left: readonly TestProgram[],
  running: readonly TestProgram[],
  cores = availableParallelism(),
): TestProgram[] {
  const loud = left.filter(({ kind }) => kind !== 'quiet')
  if (loud.length === 0 && running.length === 0) return left.slice(0, 1)
  const pairs = Math.max(1, Math.floor(cores / 2))
  return (['busy', 'sound'] as const).flatMap((kind) => {
    const count = running.filter((program) => program.kind === kind).length
    return loud
      .filter((program) => program.kind === kind)
      .slice(0, Math.max(0, mostOfAPair[kind] * pairs - count))
  })
}

/** Runs them all, each once. */
export async function runAll(
  programs: readonly TestProgram[],
  run: (path: string) => Promise<void>,
): Promise<void> {
  const left = [...programs]
  const running = new Map<TestProgram, Promise<void>>()
  while (left.length + running.size > 0) {
    for (const program of startable(left, [...running.keys()])) {
      left.splice(left.indexOf(program), 1)
      running.set(
        program,
        run(program.path).finally(() => running.delete(program)),
      )
    }
    await Promise.race(running.values())
  }
}
