import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** The pages that people read: those at the root and in docs, without the requirements. */
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('requirements'))
    .map((name) => join('docs', name)),
]

test('every link of a page to a file leads to one', () => {
  const broken = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, link = '']) => link)
      .filter((link) => !existsSync(join(root, dirname(page), link)))
      .map((link) => `${page} links to ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('docs/architecture.md answers at least ten questions of newcomers, each with a file that exists', () => {
  const section = read('docs/architecture.md').split('## Where is …?')[1]?.split('\n## ')[0] ?? ''
  const answers = Array.from(
    section.matchAll(/^\| (Where .*\?) +\| `([^`]+)` +\|$/gm),
    ([, , file = '']) => file,
  )
  assert.ok(answers.length >= 10, `${answers.length} questions`)
  assert.deepEqual(
    answers.filter((file) => !existsSync(join(root, file))),
    [],
  )
})

test('every file of the project that docs/architecture.md, docs/extending.md or docs/interop.md names exists', () => {
  const named = ['docs/architecture.md', 'docs/extending.md', 'docs/interop.md'].flatMap((page) =>
    Array.from(read(page).matchAll(/`([a-z0-9-]+\/src\/[\w./-]+\.tsx?)`/g), ([, file = '']) => file),
  )
  assert.deepEqual(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  )
})

test('each recipe of docs/extending.md has fewer than fifteen lines', () => {
  const recipes = read('docs/extending.md').split('\n## ').slice(1)
  const long = recipes
    .map(
      (recipe) =>
        recipe
          .split('\n')
          .filter((line) => line.trim() !== '')
          .slice(1).length,
    )
    .filter((lines) => lines >= 15)
  assert.equal(recipes.length, 6)
  assert.deepEqual(long, [])
})

test('each case of docs/interop.md names a test that proves it', () => {
  const cases = read('docs/interop.md')
    .split('\n')
    .filter((line) => /^\|.*\|.*\|.*\|.*\|$/.test(line) && !/^\| (case|---) /.test(line))
  assert.ok(cases.length > 30, `${cases.length} cases`)
  assert.deepEqual(
    cases.filter((line) => !/`[a-z0-9]+\/src\/[\w./-]+\.test\.ts` \|$/.test(line)),
    [],
  )
})
