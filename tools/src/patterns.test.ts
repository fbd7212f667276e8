import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { slowPatterns } from './patterns.ts'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = 'gateway/src/calls/reading.ts'
const findings = (text: string, bounded: Parameters<typeof slowPatterns>[1] = []) =>
  slowPatterns({ [file]: text }, bounded)

test('no shipped source builds a regular expression from text, and every pattern is linear or bounded', async () => {
  assert.deepEqual(await slowPatterns(readSources(root)), [])
})

test('an expression that is built at run time is found, however it is written', async () => {
  const sentence = `${file}: builds a regular expression at run time; write it as a literal, or compare text`
  for (const text of [
    'export const of = (name: string) => new RegExp(name)',
    'export const of = (name: string) => RegExp(`^${name}$`)',
    "export const of = (name: string) => new RegExp(RegExp.escape(name) + '$', 'u')",
    'export const of = (name: string) => new globalThis.RegExp(name)',
    "export const of = (name: string) => 'text'.match(`^${name}$`)",
    "export const of = (name: string) => 'text'.search('^' + name)",
  ])
    assert.deepEqual(await findings(text), [sentence], text)
  assert.deepEqual(await findings("export const form = new RegExp('^[a-z]+$')"), [])
})

test('a pattern with exponential, polynomial or quadratic time is found, in a literal, a schema or a constructor', async () => {
  for (const [text, pattern] of [
    ['export const form = /^(?:a+)+$/', '/^(?:a+)+$/'],
    ['export const form = /^a*a*b/u', '/^a*a*b/u'],
    ['export const form = /\\s+$/', '/\\s+$/'],
    ["export const form = { pattern: '^(a|a)*b$' }", '/^(a|a)*b$/u'],
    ["export const form = new RegExp('^(a+)+b')", '/^(a+)+b/'],
    ['export const form = /^(?:\\w|\\d)+x/', '/^(?:\\w|\\d)+x/'],
    ['export const form = /^(?:a|ab|b)*c/', '/^(?:a|ab|b)*c/'],
  ] as const)
    assert.deepEqual(await findings(text), [`${file}: ${pattern} is not linear in what it reads`], text)
  assert.deepEqual(await findings('export const form = /^[a-z]+ (?:is|was) \\d+$/u'), [])
})

test('a pattern that is listed as bounded passes, and a list that names no such pattern does not', async () => {
  const listed = { file, pattern: '/\\s+$/', reason: 'reads 80 characters' }
  assert.deepEqual(await findings('export const form = /\\s+$/', [listed]), [])
  assert.deepEqual(await findings('export const form = /x/', [listed]), [
    `${file}: /\\s+$/ is listed as bounded and is not there, or is linear`,
  ])
})

test('tests and tools may build expressions: nothing from outside reaches them', async () => {
  const text = 'export const of = (name: string) => new RegExp(name)'
  const paths = [
    'gateway/src/calls/a.test.ts',
    'gateway/testing/a.ts',
    'tools/src/a.ts',
    'e2e/src/a.ts',
    'bench/src/a.ts',
  ]
  assert.deepEqual(await slowPatterns(Object.fromEntries(paths.map((path) => [path, text])), []), [])
})
