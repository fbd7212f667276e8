import { setPriority } from 'node:os'
import { relative } from 'node:path'
import { CostRecorder } from './file-costs.ts'
import { isSound, root } from './test-files.ts'

/** Loaded before every test file: it ends one that something keeps alive after its tests, and records what it cost. */
const program = process.argv[1] ?? ''
const isGroup = program.includes('test-groups/') // which records each of its files by itself
const mostMs = isGroup ? 1_800_000 : 1_200_000
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined // and not the program that runs them all

if (isTestFile) {
  setTimeout(() => {
    process.stderr.write(`${program} did not end within ${mostMs / 60_000} minutes\n`)
    process.exit(1)
  }, mostMs).unref()
  const recorder = new CostRecorder()
  const file = relative(root, program)
  const isTest = isGroup || file.endsWith('.test.ts') // a process or thread that a test starts loads this too
  const isOfSound = isGroup ? program.endsWith('.sound.test.mjs') : isSound(file)
  if (isTest && !isOfSound) setPriority(5) // and with it everything that it starts
  if (isTest && !isGroup) process.on('exit', () => recorder.record(file))
}
