import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pythonClient, ran } from '../testing/python-openai.ts'
import { startVoiceDeployment } from '../testing/voice-deployment.ts'

const noCurl = (await ran('curl', ['--version'])).ok ? false : 'needs curl'
const client = await pythonClient()
const voice = await startVoiceDeployment()
after(() => voice[Symbol.asyncDispose]())

const page = readFileSync(new URL('../../docs/speech.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = '', code = '']) => ({
  language,
  code: code.replaceAll('http://127.0.0.1:8081', voice.url),
}))
const folder = mkdtempSync(join(tmpdir(), 'switchroom-page-'))
after(() => rmSync(folder, { recursive: true, force: true }))
// where the packages of its programs are found
symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))

/** What the blocks of a language print, one after the other. */
async function printed(language: string, run: (code: string) => [program: string, args: string[]]) {
  const env = { ...process.env, SVC_VOICE_URL: voice.url, SVC_KEY: (await voice.caller()).key }
  const all: string[] = []
  for (const { code } of blocks.filter((block) => block.language === language)) {
    const { ok, said } = await ran(...run(code), { cwd: folder, env: { ...env, svc: env.SVC_KEY } })
    assert.ok(ok, said)
    all.push(said)
  }
  return all
}

test('the page about speech has no program of a language that no test runs', () => {
  assert.deepEqual(
    blocks.map(({ language }) => language),
    ['sh', 'ts', 'js', 'python'],
  )
})

test('every command in the page about speech runs (SD-80)', { skip: noCurl }, async () => {
  const [said] = await printed('sh', (code) => ['sh', ['-euc', code]])
  assert.match(said ?? '', /"text":".*station/i)
})

test('every program in the page about speech runs (SD-79, SD-80)', async () => {
  const node = (type: string) => (code: string) =>
    [process.execPath, [`--input-type=${type}`, '-e', code]] as [string, string[]]
  assert.match((await printed('ts', node('module-typescript')))[0] ?? '', /station/i)
  assert.match((await printed('js', node('module')))[0] ?? '', /station/i)
})

test('the Python program in the page about speech runs', { skip: client.missing }, async () => {
  if (client.missing !== false) return
  const [said] = await printed('python', (code) => [client.python, ['-c', code]])
  assert.match(said ?? '', /^1\n00:00:00,.*station/is)
})
