import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startVoiceDeployment } from '../testing/voice-deployment.ts'

const voice = await startVoiceDeployment()
after(() => voice[Symbol.asyncDispose]())

const page = readFileSync(new URL('../../docs/speech.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```(js|ts)\n(.*?)```/gs)]
const folder = fileURLToPath(new URL('..', import.meta.url)) // where its packages are found
after(() => rmSync(`${folder}/hello.wav`, { force: true }))

test('every program in the page about speech runs (SD-79, SD-80)', async () => {
  assert.equal(blocks.length, 2)
  const printed: string[] = []
  for (const [, language, code = ''] of blocks) {
    const type = language === 'ts' ? 'module-typescript' : 'module'
    const child = spawn(process.execPath, [`--input-type=${type}`, '-e', code], {
      cwd: folder,
      env: { ...process.env, SVC_VOICE_URL: voice.url, SVC_KEY: (await voice.caller()).key },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
    const [status] = await once(child, 'close')
    assert.equal(status, 0, said)
    printed.push(said)
  }
  assert.match(printed[0] ?? '', /station/)
  assert.match(printed[1] ?? '', /^24000 \d{5,6}\n$/)
})
