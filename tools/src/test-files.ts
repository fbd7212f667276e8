import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const filesAtOnce = 5 // for two cores: some of them wait

/** Every test file of the checkout, in the order in which a whole run starts them. */
export function testFiles(): string[] {
  const { workspaces }: { workspaces: string[] } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const patterns = workspaces.flatMap((folder) => [
    `${folder}/src/**/*.test.ts`,
    `${folder}/testing/**/*.test.ts`,
  ])
  const found = globSync(patterns, { cwd: root, exclude: ['tools/src/fixtures/**'] })
  const sized = found.toSorted().map((file) => ({ file, bytes: statSync(join(root, file)).size }))
  // What is long takes long, roughly: the short ones at the end leave no core idle.
  const files = sized.toSorted((a, b) => b.bytes - a.bytes).map(({ file }) => file)
  const isJourney = (file: string) => file.startsWith('e2e/')
  return spread(
    files.filter(isJourney),
    files.filter((file) => !isJourney(file)),
  )
}

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
