import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { CostRecorder } from './file-costs.ts'
import { endOfProcess } from './end-of-process.ts'
import { root } from './test-files.ts'

const mostMs = 600_000

/** Each file is a test: what it registers belongs to it, and its hooks run before the next file is loaded. */
export async function runTogether(files: readonly string[]) {
  const awake = setInterval(() => {}, mostMs) // a test may wait for a timer that keeps no process alive
  const recorder = new CostRecorder()
  const ends = endOfProcess()
  for (const file of files) {
    await test(file, { timeout: mostMs }, async () => {
      await import(pathToFileURL(join(root, file)).href)
    })
    recorder.record(file)
  }
  for (const end of ends) await end()
  clearInterval(awake)
}
