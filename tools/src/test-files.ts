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

/** Tests of sound, which comes every 20 ms: they wait more than they compute, and must not wait for long. */
const sound = ['e2e/src/livekit-', 'e2e/src/spoken-', 'media/', 'session/src/spoken/', 'worker/']

export const isSound = (file: string) => sound.some((start) => file.startsWith(start))
