import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { appEvents } from '@switchroom/contract/app-events'
import { framesFromApp } from '@switchroom/contract/app-socket'
import { documentPath, documentText, pagePath, pageText } from './asyncapi.ts'
import { asyncApi } from './asyncapi/document.ts'
import { whyUndocumented } from './asyncapi/frame-checks.ts'
import { root } from './test-files.ts'

const parserVersion = '3.6.3'
const again = 'run `node tools/src/asyncapi.ts`'

test('docs/asyncapi.json and the tables of docs/protocol.md are what the contract says', () => {
  assert.ok(readFileSync(documentPath, 'utf8') === documentText(), `docs/asyncapi.json is old: ${again}`)
  assert.ok(readFileSync(pagePath, 'utf8') === pageText(), `docs/protocol.md is old: ${again}`)
})

test('every reference in the document leads somewhere, and every frame of the contract is in it with its meaning', () => {
  const document = asyncApi()
  const text = JSON.stringify(document)
  for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = path
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document)
    assert.ok(found, `#/${path}`)
  }
  const { messages } = document['components'] as {
    messages: Record<string, { name: string; summary: string }>
  }
  for (const { name, summary } of Object.values(messages)) assert.ok(summary.endsWith('.'), name)
  const named = new Set(Object.values(messages).map(({ name }) => name))
  for (const name of [...Object.keys(framesFromApp), ...Object.keys(appEvents)])
    assert.ok(named.has(name), name)
})

test('a frame that the document does not describe is told from one that it does', () => {
  const say = { type: 'call.say', call: 'call_1', text: 'Hello' }
  assert.equal(whyUndocumented('/v1/apps', 'to gateway', say), undefined)
  assert.match(whyUndocumented('/v1/apps', 'to client', say) ?? '', /no frame to client/)
  assert.match(
    whyUndocumented('/v1/apps', 'to gateway', { ...say, text: 7 } as object) ?? '',
    /must be string/,
  )
})

test('the Python SDK knows the same events', () => {
  const code = readFileSync(join(root, 'python/src/switchroom/events.py'), 'utf8')
  const listed = code.split('CALL_EVENTS = frozenset(')[1]?.split(')')[0] ?? ''
  const names = [...listed.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  const ours = Object.keys(appEvents).map((name) => (name === 'error' ? 'call.error' : name))
  assert.deepEqual(names.toSorted(), [...ours, 'call.passed', 'call.preparing'].toSorted())
})

interface Diagnostic {
  severity: number
  message: string
  path: (string | number)[]
}

test('the official AsyncAPI parser finds no error in the document', async (t) => {
  const parser = officialParser()
  if (parser === undefined) return t.skip(`needs @asyncapi/parser ${parserVersion} from npm`)
  const { Parser } = createRequire(join(parser, 'package.json'))('@asyncapi/parser') as {
    Parser: new () => { parse: (text: string) => Promise<{ document?: object; diagnostics: Diagnostic[] }> }
  }
  const { document, diagnostics } = await new Parser().parse(documentText())
  const worse = diagnostics.filter(({ severity }) => severity <= 1) // errors and warnings
  assert.deepEqual(
    worse.map(({ message, path }) => `${path.join('.')}: ${message}`),
    [],
  )
  assert.ok(document)
})

/** Installed once beside the other caches: it brings a hundred packages that nothing else here needs. */
function officialParser(): string | undefined {
  const cache = join(root, 'node_modules', '.cache', 'switchroom')
  const folder = join(cache, `asyncapi-parser-${parserVersion}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, 'package.json'), '{"private": true}')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent']
  const installed = spawnSync('npm', ['install', ...options, `@asyncapi/parser@${parserVersion}`], {
    cwd: unfinished,
    stdio: 'ignore',
    timeout: 240_000,
  })
  if (installed.status === 0 && !existsSync(folder)) renameSync(unfinished, folder)
  rmSync(unfinished, { recursive: true, force: true })
  return existsSync(folder) ? folder : undefined
}
