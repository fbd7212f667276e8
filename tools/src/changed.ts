import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readImports, readPackages } from './architecture-imports.ts'
import { changedFiles } from './changed-files.ts'
import { reachedTests, withinLimits } from './changed-selection.ts'
import { readSources } from './sources.ts'
import { costIn, readBudget } from './suite-budget.ts'
import { root, testFiles } from './test-files.ts'

/** For tests beside format, lint and types, so that a change of one file is answered within 90 seconds. */
const most = { cpuSeconds: 38, wallSeconds: 150, wallSecondsOfOne: 35 }
/** They read every source, so every change reaches them. */
const readsEverything = ['architecture', 'patterns', 'requirements', 'settings-page'].map(
  (name) => `tools/src/${name}.test.ts`,
)
const bin = join(root, 'node_modules', '.bin')
const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

const [ref = 'HEAD'] = process.argv.slice(2)
const changed = changedFiles(ref)
if (changed.length === 0) {
  say(`Nothing differs from ${ref}.`)
  process.exit(0)
}
say(`Changed since ${ref}:\n${changed.map((file) => `  ${file}`).join('\n')}`)

const there = changed.filter((file) => existsSync(join(root, file)))
const linted = there.filter((file) => /\.[cm]?[jt]sx?$/.test(file))
const formatted = there.filter((file) => /\.(?:[cm]?[jt]sx?|json|css|html)$/.test(file))
if (formatted.length > 0) check('format', join(bin, 'oxfmt'), '--check', ...formatted)
if (linted.length > 0) {
  check('lint', join(bin, 'oxlint'), '--type-aware', '--deny-warnings', ...linted)
  check('types', join(bin, 'tsc'), '--noEmit')
  if (linted.some((file) => /^(?:console|contract)\//.test(file)))
    check('types of the console', join(bin, 'tsc'), '--noEmit', '-p', 'console')
}

const { chosen, left } = await select()
if (chosen.length === 0) say('No test file reads what changed.')
else {
  say(
    `Running the ${chosen.length} nearest of the ${chosen.length + left.length} test files that it reaches.`,
  )
  check('tests', process.execPath, 'tools/src/test.ts', '--together', ...chosen)
}
if (left.length > 0) say(`npm test also runs these:\n${left.map((file) => `  ${file}`).join('\n')}`)

async function select() {
  const sources = readSources(root)
  const imports = await readImports(sources, readPackages(sources))
  const others = there.filter((file) => !(file in sources))
  const texts = Object.fromEntries(others.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const reached = reachedTests(changed, { sources: { ...sources, ...texts }, imports, tests: testFiles() })
  const budget = readBudget()
  const always = readsEverything.map((file) => ({ file, distance: 0 }))
  const nearest = reached.filter(({ file }) => !readsEverything.includes(file))
  return withinLimits([...always, ...nearest], (file) => costIn(budget, file), most)
}

function check(what: string, program: string, ...words: string[]): void {
  const { status } = spawnSync(program, words, { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  say(`The change does not pass: ${what}.`)
  process.exit(1)
}
