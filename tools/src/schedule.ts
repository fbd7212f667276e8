import { availableParallelism } from 'node:os'

/**
 * A program of a run: a test file, or one that runs several of them. `sound` plays and hears in real time, `heavy`
 * starts many processes or computes for long, `quiet` compares times, and everything else is `light`.
 */
export interface TestProgram {
  path: string
  kind: 'light' | 'heavy' | 'sound' | 'quiet'
}

type Places = Record<TestProgram['kind'], number>

/** Which programs start now, earlier ones before later ones; a quiet one only when nothing else runs any more. */
export function startable(
  left: readonly TestProgram[],
  running: readonly TestProgram[],
  cores = availableParallelism(),
): TestProgram[] {
  const places = placesOf([...left, ...running], Math.max(1, Math.floor(cores / 2)))
  const count = (programs: readonly TestProgram[], kind: TestProgram['kind']) =>
    programs.filter((program) => program.kind === kind).length
  return left.filter(({ kind }, at) => count(running, kind) + count(left.slice(0, at), kind) < places[kind])
}

/** How many of each kind run together: heavy ones never beside sound, which they would make late. */
function placesOf(unfinished: readonly TestProgram[], pairsOfCores: number): Places {
  const none: Places = { light: 0, heavy: 0, sound: 0, quiet: 0 }
  const has = (kind: TestProgram['kind']) => unfinished.some((program) => program.kind === kind)
  if (has('sound')) return { ...none, sound: 2 * pairsOfCores, light: pairsOfCores }
  if (has('heavy')) return { ...none, heavy: 2 * pairsOfCores, light: pairsOfCores }
  if (has('light')) return { ...none, light: 3 * pairsOfCores }
  return { ...none, quiet: 1 }
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
