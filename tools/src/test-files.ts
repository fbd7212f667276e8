import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const filesAtOnce = 5 // for two cores: some of them wait

/** Every test file of the checkout. */
export function testFiles(): string[] {
  const { workspaces }: { workspaces: string[] } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const patterns = workspaces.flatMap((folder) => [
    `${folder}/src/**/*.test.ts`,
    `${folder}/testing/**/*.test.ts`,
  ])
  const found = globSync(patterns, { cwd: root, exclude: ['tools/src/fixtures/**'] })
  return found.toSorted()
}

/** A journey across running processes. */
export const isJourney = (file: string) => file.startsWith('e2e/')

/** How many of the others have started when the last journey starts. */
const lastAfter = 3 / 4

/** Journeys wait for processes of their own: among the others they neither crowd each other nor leave a core idle. */
export function spread(journeys: string[], others: string[]): string[] {
  const step = (others.length * lastAfter) / Math.max(1, journeys.length - 1)
  const place = (file: string, at: number) => ({ file, at })
  return [...journeys.map((file, n) => place(file, n * step)), ...others.map(place)]
    .toSorted((a, b) => a.at - b.at)
    .map(({ file }) => file)
}
