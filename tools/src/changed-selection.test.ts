import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImports, readPackages } from './architecture-imports.ts'
import { consoleJourneys, everyScreen, reachedTests, withinLimits } from './changed-selection.ts'
import type { Sources } from './sources.ts'
import { testFiles } from './test-files.ts'

const sources: Sources = {
  'contract/package.json': JSON.stringify({ name: '@switchroom/contract', exports: { './*': './src/*.ts' } }),
  'contract/src/members.ts': '',
  'gateway/package.json': JSON.stringify({ name: '@switchroom/gateway' }),
  'gateway/src/people/members/members.store.ts': 'select from members',
  'gateway/src/people/members/members.ts':
    "import './members.store.ts'\nimport '@switchroom/contract/members'",
  'gateway/src/people/members/members.test.ts': "import '../../../testing/deployment.ts'",
  'gateway/src/people/members/members.races.test.ts': "import '../../../testing/deployment.ts'",
  'gateway/src/people/members/roles.test.ts': "import '../../../testing/deployment.ts'",
  'gateway/src/people/seats/seats.ts': "import '../members/members.ts'",
  'gateway/src/people/seats/seats.test.ts': "import '../../../testing/deployment.ts'",
  'gateway/src/people/room.ts': "import './members/members.ts'",
  'gateway/src/services.ts': "import './people/room.ts'",
  'gateway/src/mail/mail.test.ts': "import '../../testing/deployment.ts'",
  'gateway/testing/deployment.ts': "import '../src/services.ts'",
  'gateway/src/database/migrations.ts': '',
  'gateway/src/database/migrations.test.ts': "import './migrations.ts'",
  'cli/package.json': JSON.stringify({ name: '@switchroom/cli' }),
  'cli/src/usage.test.ts': "readFileSync('../../docs/cli.md')",
  'e2e/package.json': JSON.stringify({ name: '@switchroom/e2e' }),
  'e2e/src/console-people.test.ts': '',
  'e2e/src/console-pages.test.ts': '',
  'console/package.json': JSON.stringify({ name: '@switchroom/console' }),
  'console/src/team/team-screen.tsx': "import '../ui/button.tsx'",
  'console/src/ui/button.tsx': '',
}
const tests = Object.keys(sources).filter((file) => file.endsWith('.test.ts'))
const imports = await readImports(sources, readPackages(sources))
const reached = (changed: string[], more: Sources = {}) =>
  reachedTests(changed, { sources: { ...sources, ...more }, imports, tests }).map(
    ({ file, distance }) => `${distance} ${file.replace(/^.*\/(.*)\.test\.ts$/, '$1')}`,
  )

test('a change of a store runs the tests of its folder, its own first, then those of the rules that call it', () => {
  assert.deepEqual(reached(['gateway/src/people/members/members.store.ts']), [
    '0 members.races',
    '0 members',
    '1 roles',
    '2 seats',
  ])
})

test('a change of a contract reaches the rules that import it', () => {
  assert.deepEqual(reached(['contract/src/members.ts']), [
    '1 members.races',
    '1 members',
    '2 roles',
    '2 seats',
  ])
})

test('a change stops at what assembles the gateway, unless that is what changed', () => {
  assert.ok(!reached(['gateway/src/people/members/members.ts']).includes('3 mail'))
  assert.ok(reached(['gateway/src/services.ts']).includes('2 mail'))
})

test('a test that changed runs, and a file that is gone reaches what imported it', () => {
  assert.deepEqual(reached(['gateway/src/mail/mail.test.ts']), ['0 mail'])
  const { 'gateway/src/people/members/members.store.ts': _, ...others } = sources
  const left = reachedTests(['gateway/src/people/members/members.store.ts'], {
    sources: others,
    imports,
    tests,
  })
  assert.equal(left.length, 4)
})

test('a page of the documentation, a migration and a package run what reads them', () => {
  assert.deepEqual(reached(['docs/cli.md']), ['0 usage'])
  const migration = 'gateway/src/database/migrations/0099_members.sql'
  assert.deepEqual(reached([migration], { [migration]: 'alter table members add column x int' }), [
    '0 migrations',
    '0 members.races',
    '0 members',
    '1 roles',
    '2 seats',
  ])
  assert.deepEqual(reached(['cli/package.json']), ['0 usage'])
})

test('a screen of the console runs the journeys through it', () => {
  assert.deepEqual(reached(['console/src/team/team-screen.tsx']), ['1 console-people'])
  assert.deepEqual(reached(['console/src/ui/button.tsx']), ['1 console-pages', '2 console-people'])
  const journeys = [...Object.values(consoleJourneys).flat(), ...everyScreen]
  const all = testFiles()
  for (const name of journeys) assert.ok(all.includes(`e2e/src/${name}.test.ts`), name)
})

test('the nearest tests run until the time is used up, and those that changed always', () => {
  const chain = ['a', 'b', 'c', 'd', 'e'].map((file, distance) => ({ file, distance }))
  const costs: Record<string, number> = { a: 100, b: 3, c: 50, d: 4 }
  const costOf = (file: string) => ({ wallSeconds: costs[file] ?? 1, cpuSeconds: file === 'a' ? 5 : 3 })
  assert.deepEqual(withinLimits(chain, costOf, { cpuSeconds: 12, wallSeconds: 200, wallSecondsOfOne: 40 }), {
    chosen: ['a', 'b', 'd'],
    left: ['c', 'e'],
  })
  assert.deepEqual(
    withinLimits(chain, costOf, { cpuSeconds: 99, wallSeconds: 108, wallSecondsOfOne: 60 }).left,
    ['c'],
  )
})
