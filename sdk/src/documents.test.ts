import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
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

const run = ({ language, code }: { language: string | undefined; code: string }, url: string) =>
  spawn(
    process.execPath,
    [`--input-type=${language === 'ts' ? 'module-typescript' : 'module'}`, '-e', code],
    {
      cwd: root,
      env: { ...process.env, SVC_URL: url, SVC_KEY: key },
    },
  )

const dials = ({ code }: { code: string }) => code.includes('new DialClient()')

test('every program in the documents runs (ND-91)', async (t) => {
  const speaking = blocks.filter((block) => !dials(block))
  assert.equal(speaking.length, 10)
  for (const { name, ...block } of speaking) {
    const gateway = await fakeGateway(t)
    gateway.greet = (socket) => socket.send(JSON.stringify({ type: 'started', call: 'call_1', seq: 1 }))
    gateway.answer = (frame: CameFrame) =>
      frame.type === 'message' ? { type: 'ended', reason: 'hangup', seq: 2 } : taken(frame)
    const child = run(block, gateway.url)
    t.after(() => child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += chunk))
    const isThere = () => gateway.frames.some((frame) => frame.agent ?? frame.text)
    await until(`${name} speaks to the gateway`, isThere, 60_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${stderr}`)
    })
  }
})

test('the program of docs/sdk.md that dials prints the call, or the status, the code and the sentence of a refusal', async (t) => {
  const program = blocks.find(dials)
  assert.ok(program)
  const bodies: string[] = []
  let answer = [202, { call: 'call_1' }] as readonly [number, object]
  const server = createServer((request, response) => {
    void textOf(request).then((body) => bodies.push(`${request.method} ${request.url} ${body}`))
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const prints = async () => {
    const { stdout } = run(program, `http://127.0.0.1:${port}`)
    return textOf(stdout)
  }
  assert.equal(await prints(), 'call_1\n')
  answer = [403, { detail: 'they asked not to be called', code: 'OPTED_OUT' }]
  assert.equal(await prints(), '403 OPTED_OUT they asked not to be called\n')
  const asked = 'POST /v1/agents/desk/dial {"to":"+15552000100","metadata":{"name":"Ana"}}'
  assert.deepEqual(bodies, [asked, asked])
})

test('an agent in plain JavaScript is ten lines (ND-91)', () => {
  const [first] = blocks
  assert.ok((first?.code.split('\n').filter((line) => line.trim() !== '').length ?? 99) <= 10)
})
