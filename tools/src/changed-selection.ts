import { posix } from 'node:path'
import type { Import } from './architecture-imports.ts'
import type { Sources } from './sources.ts'
import type { Costs } from './suite-budget.ts'

/** A test file that a change reaches. The nearer, the fewer imports lie between. */
export interface Reached {
  file: string
  distance: number
}

/** What assembles a process from its parts imports everything: from here on a change would reach every test. */
const assembly = /^gateway\/src\/(?:app|gateway|main|run|services)\.ts$|\/room\.ts$/

/** Journeys that drive the console's screens in a browser, by the folder of the screen. */
export const consoleJourneys: Record<string, readonly string[]> = {
  agents: ['console-agents', 'console-pages'],
  audit: ['console-people'],
  calls: ['console-calls'],
  numbers: ['console-numbers', 'console-dialling'],
  platform: ['console-people'],
  'sign-in': ['console-people', 'console-sign-on'],
  team: ['console-people', 'console-page-keys'],
  threads: ['console-threads'],
}
/** For the folders that all screens share. */
export const everyScreen: readonly string[] = ['console-pages', 'console-hard-times']

const isTest = (file: string) => file.endsWith('.test.ts')
const isSource = (file: string) => /\.[cm]?[jt]sx?$/.test(file)

/** The test files that a change reaches, the nearest first. `sources` has the whole checkout, `tests` every test file. */
export function reachedTests(
  changed: readonly string[],
  { sources, imports, tests }: { sources: Sources; imports: readonly Import[]; tests: readonly string[] },
): Reached[] {
  const importers = Map.groupBy(imports, ({ target }) => target ?? '')
  const besideOf = Map.groupBy(tests, (test) => posix.dirname(test))
  const found = new Map<string, number>()
  const seen = new Set<string>(changed)
  const reach = (test: string, distance: number) =>
    found.set(test, Math.min(distance, found.get(test) ?? distance))

  let ring = [...new Set([...changed, ...changed.flatMap((file) => readersOf(file, sources))])]
  for (let distance = 0; ring.length > 0; distance += 1) {
    const next: string[] = []
    for (const file of ring) {
      if (isTest(file)) {
        if (tests.includes(file)) reach(file, changed.includes(file) ? 0 : distance)
        continue
      }
      for (const test of besideOf.get(posix.dirname(file)) ?? [])
        reach(test, distance + (isOf(test, file) ? 0 : 1))
      for (const journey of journeysOf(file)) if (tests.includes(journey)) reach(journey, distance + 1)
      if (assembly.test(file) && !changed.includes(file)) continue
      for (const importer of importers.get(file) ?? []) {
        if (seen.has(importer.file)) continue
        seen.add(importer.file)
        next.push(importer.file)
      }
    }
    ring = next
  }
  return [...found]
    .map(([file, distance]) => ({ file, distance }))
    .toSorted((a, b) => a.distance - b.distance || (a.file < b.file ? -1 : 1))
}

/** `members.test.ts` and `members.races.test.ts` are of `members.ts`, `members.store.ts` and `members.routes.ts`. */
function isOf(test: string, file: string): boolean {
  const [name = ''] = posix.basename(file).split('.')
  return posix.basename(test).startsWith(`${name}.`)
}

function journeysOf(file: string): string[] {
  const [room, , folder = ''] = file.split('/')
  if (room !== 'console') return []
  return (consoleJourneys[folder] ?? everyScreen).map((name) => `e2e/src/${name}.test.ts`)
}

/** What is no source is read by its name; a migration by the stores of the tables that it names. */
function readersOf(file: string, sources: Sources): string[] {
  if (isSource(file)) return []
  const name = posix.basename(file)
  const texts = Object.entries(sources).filter(([path]) => isSource(path))
  if (name === 'package.json') return texts.flatMap(([path]) => (isTopOf(path, file) ? [path] : []))
  if (name.endsWith('.sql')) {
    const tables = tablesOf(sources[file] ?? '')
    const names = new RegExp(`\\b(?:${tables.join('|') || '\\0'})\\b`)
    const stores = texts.filter(([path, text]) => path.endsWith('.store.ts') && names.test(text))
    return ['gateway/src/database/migrations.ts', ...stores.map(([path]) => path)]
  }
  return texts.filter(([, text]) => text.includes(name)).map(([path]) => path)
}

/** Whether the test lies directly in the sources of this package. */
const isTopOf = (path: string, manifest: string) =>
  isTest(path) && posix.dirname(path) === posix.join(posix.dirname(manifest), 'src')

function tablesOf(sql: string): string[] {
  const named = sql.matchAll(/\b(?:create|alter)\s+table\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)/gi)
  return [...new Set([...named].map(([, table = '']) => table))]
}

export interface Limits extends Costs {
  /** A file that takes longer is left to the whole run. */
  wallSecondsOfOne: number
}

/** Takes the nearest first until the time is used up; a test that changed itself always runs. */
export function withinLimits(
  reached: readonly Reached[],
  costOf: (file: string) => Costs,
  most: Limits,
): { chosen: string[]; left: string[] } {
  const chosen: string[] = []
  const left: string[] = []
  const spent: Costs = { cpuSeconds: 0, wallSeconds: 0 }
  for (const { file, distance } of reached) {
    const { cpuSeconds, wallSeconds } = costOf(file)
    const fits =
      wallSeconds <= most.wallSecondsOfOne &&
      spent.cpuSeconds + cpuSeconds <= most.cpuSeconds &&
      spent.wallSeconds + wallSeconds <= most.wallSeconds
    if (distance > 0 && !fits) {
      left.push(file)
      continue
    }
    spent.cpuSeconds += cpuSeconds
    spent.wallSeconds += wallSeconds
    chosen.push(file)
  }
  return { chosen, left }
}
