import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { key } from '../testing/connected.ts'
import { fakeGateway, taken, type CameFrame } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const blocks = ['sdk/README.md', 'docs/sdk.md'].flatMap((page) =>
  [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/```(js|ts)\n(.*?)```/gs)].map(
    ([, language, code = ''], i) => ({ name: `block ${i + 1} of ${page}`, language, code }),
  ),
)

test('every program in the documents runs (ND-91)', async (t) => {
  assert.equal(blocks.length, 9)
  for (const { name, language, code } of blocks) {
    const gateway = await fakeGateway(t)
    gateway.greet = (socket) => socket.send(JSON.stringify({ type: 'started', call: 'call_1', seq: 1 }))
    gateway.answer = (frame: CameFrame) =>
      frame.type === 'message' ? { type: 'ended', reason: 'hangup', seq: 2 } : taken(frame)
    const type = language === 'ts' ? 'module-typescript' : 'module'
    const child = spawn(process.execPath, [`--input-type=${type}`, '-e', code], {
      cwd: root,
      env: { ...process.env, SVC_URL: gateway.url, SVC_KEY: key },
    })
    t.after(() => child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += chunk))
    const isThere = () => gateway.frames.some((frame) => frame.agent ?? frame.text)
    await until(`${name} speaks to the gateway`, isThere, 60_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${stderr}`)
    })
  }
})

test('an agent in plain JavaScript is ten lines (ND-91)', () => {
  const [first] = blocks
  assert.ok((first?.code.split('\n').filter((line) => line.trim() !== '').length ?? 99) <= 10)
})
