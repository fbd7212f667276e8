import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { IdleCores } from './idle-cores.ts'

/**
 * A program of a run: a test file, or one that runs several of them. `sound` plays and hears in real time, `heavy`
 * starts many processes or computes for long, `quiet` compares times, and everything else is `light`.
 */
export interface TestProgram {
  path: string
  kind: 'light' | 'heavy' | 'sound' | 'quiet'
}

type Places = Record<TestProgram['kind'], number>

/** So often the cores are looked at, and one more program may start. */
const lookEveryMs = 2_000
/** From this share of idle time on, one more runs than has a place: many tests wait more than they compute. */
const plentyIdle = 0.35
/** Of each pair of cores, above its places. */
const mostExtra = 3

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

/** The next program of a kind that runs now anyway, although its places are taken. */
export function oneMore(
  left: readonly TestProgram[],
  running: readonly TestProgram[],
  cores = availableParallelism(),
): TestProgram | undefined {
  const pairs = Math.max(1, Math.floor(cores / 2))
  const places = placesOf([...left, ...running], pairs)
  const most = places.light + places.heavy + places.sound + mostExtra * pairs
  if (places.quiet > 0 || running.length >= most) return undefined
  // light ones can run beside all others, and fill the cores later too
  const kinds = (['sound', 'heavy', 'light'] as const).filter((kind) => places[kind] > 0)
  return kinds.flatMap((kind) => left.filter((program) => program.kind === kind))[0]
}

/** Runs them all, each once. */
export async function runAll(
  programs: readonly TestProgram[],
  run: (path: string) => Promise<void>,
  cores: Pick<IdleCores, 'share'> = new IdleCores(),
): Promise<void> {
  const left = [...programs]
  const running = new Map<TestProgram, Promise<void>>()
  const start = (program: TestProgram) => {
    left.splice(left.indexOf(program), 1)
    running.set(
      program,
      run(program.path).finally(() => running.delete(program)),
    )
  }
  const looking = new AbortController()
  const look = () => pause(lookEveryMs, true, { signal: looking.signal, ref: false }).catch(() => false)
  let looked = look()
  while (left.length + running.size > 0) {
    for (const program of startable(left, [...running.keys()])) start(program)
    const isTime = await Promise.race([looked, ...[...running.values()].map((one) => one.then(() => false))])
    if (!isTime) continue
    const more = cores.share() >= plentyIdle ? oneMore(left, [...running.keys()]) : undefined
    if (more) start(more)
    looked = look()
  }
  looking.abort()
}
