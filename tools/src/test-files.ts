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

/** Journeys across running processes, and tests in real time: they wait more than they compute. */
const realTime = ['e2e/', 'media/', 'worker/', 'session/src/spoken/']

export const isRealTime = (file: string) => realTime.some((folder) => file.startsWith(folder))
