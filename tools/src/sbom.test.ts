import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { fits } from './licences.ts'
import { neededBy } from './lock-file.ts'
import { billOfMaterials, licenceList, problemsOf, shippedPackages, type Shipped } from './sbom.ts'

const packages = shippedPackages()
const names = new Set(packages.map(({ name }) => name))

test('every package that ships has a licence that fits, and every exception is needed', () => {
  assert.deepEqual(problemsOf(packages), [])
})

test('what ships is what the programs need when they run, on every platform, and nothing that only builds or tests them', () => {
  for (const name of [
    '@switchroom/gateway',
    '@switchroom/kit',
    'pg',
    '@audio/decode-aac',
    '@node-rs/argon2-darwin-arm64',
  ])
    assert.ok(names.has(name), name)
  for (const name of ['@switchroom/e2e', 'playwright-core', 'typescript', '@livekit/agents', 'fast-check'])
    assert.ok(!names.has(name), name)
})

test('the bill of materials is valid by the schema of CycloneDX', async () => {
  const bom = billOfMaterials(packages, new Date())
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  assert.equal(await validator.validate(JSON.stringify(bom)), null)
  assert.equal(bom.components.length, packages.length)
  assert.ok(bom.dependencies.every(({ dependsOn }) => dependsOn.every((ref) => ref !== undefined)))
})

const shipped = (name: string, licence: string): Shipped => ({
  path: `node_modules/${name}`,
  name,
  version: '1.0.0',
  licence,
  integrity: undefined,
  needs: [],
})

test('a licence that does not fit is named with what to do, and so is a package that states none', () => {
  const problems = problemsOf([...packages, shipped('bad', 'AGPL-3.0-only'), shipped('silent', '')])
  const advice = 'which does not fit: leave it out, or say in tools/src/licences.ts why it ships'
  assert.deepEqual(problems, [
    `bad 1.0.0 is under AGPL-3.0-only, ${advice}`,
    `silent 1.0.0 is under no stated licence, ${advice}`,
  ])
  assert.deepEqual(problemsOf(packages.filter(({ name }) => name !== '@audio/decode-dts')), [
    '@audio/decode-dts needs no exception any more: remove it from tools/src/licences.ts',
  ])
})

test('of a choice of licences one has to fit, of a combination all', () => {
  for (const good of [
    'MIT',
    '(MIT OR GPL-3.0-only)',
    'MIT AND (GPL-2.0-only OR Apache-2.0)',
    'GPL-2.0-only OR MIT AND ISC',
  ])
    assert.equal(fits(good), true, good)
  for (const bad of [
    '',
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    '(MIT OR GPL-3.0-only) AND SSPL-1.0',
    '(MIT',
    'MIT)',
  ])
    assert.equal(fits(bad), false, bad)
})

test('a package that one of several folders has for itself is found there, and links lead to their folder', () => {
  const needs = neededBy(
    {
      version: '',
      packages: {
        app: { dependencies: { one: '1', two: '1' } },
        'node_modules/two': { link: true, resolved: 'two' },
        two: { optionalDependencies: { one: '2', gone: '1' } },
        'node_modules/one': {},
        'two/node_modules/one': { dependencies: { one: '1' } },
      },
    },
    ['app'],
  )
  assert.deepEqual([...needs.keys()].toSorted(), ['app', 'node_modules/one', 'two', 'two/node_modules/one'])
  assert.deepEqual(needs.get('two'), ['two/node_modules/one'])
})

test('the list of licences has each package once, with the reason of an exception', () => {
  const list = licenceList(packages).split('\n')
  assert.equal(new Set(list).size, list.length)
  assert.ok(list.some((line) => /^@audio\/decode-dts .*GPL-2\.0-or-later \(GPL: /.test(line)))
})
