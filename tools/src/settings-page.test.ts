import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')
const [read = '', reserved = ''] = page.split('## Reserved')

test('docs/settings.md lists every setting that the program names, and as read', () => {
  assert.deepEqual(missing(namedByProgram(), rows(read)), [])
})

test('docs/settings.md lists no setting as read that the program does not name', () => {
  assert.deepEqual(missing(rows(read), namedByProgram()), [])
})

test('docs/settings.md lists a setting once', () => {
  const all = [...rows(read), ...rows(reserved)]
  assert.deepEqual(all, [...new Set(all)])
})

test('docs/settings.md lists every setting that the requirements name', () => {
  const documents = ['requirements-1.md', 'requirements-2.md', 'requirements-3.md', 'settled.md']
  const texts = documents.map((name) => readFileSync(join(root, 'docs/requirements', name), 'utf8'))
  assert.deepEqual(missing(names(texts.join('\n')), rows(page)), [])
})

function namedByProgram(): string[] {
  const program = Object.entries(readSources(root)).filter(
    ([path]) =>
      /^(cli|gateway|launcher|media|process|sdk|speech|worker)\/src\//.test(path) &&
      !path.endsWith('.test.ts'),
  )
  return names(program.map(([, text]) => text).join('\n'))
}

function rows(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^\| `(SVC_\w+)/gm), ([, name = '']) => name)
}

/** A family such as SVC_MSGAPP_* names no setting. */
function names(text: string): string[] {
  return text.match(/\bSVC_\w+(?![\w*])/g) ?? []
}

function missing(wanted: string[], listed: string[]): string[] {
  return wanted.filter((name) => !listed.includes(name))
}
