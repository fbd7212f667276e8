import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '@switchroom/gateway/testing/until'
import { GatewayFake } from '../testing/gateway-fake.ts'
import { VoiceCaller } from '../testing/voice-deployment.ts'
import { VoiceWire } from '../testing/voice-wire.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

/** The voice server as it ships, in a process of its own. */
function start(t: TestContext, settings: Record<string, string>) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const child = spawn(process.execPath, [program], {
    env: { ...Object.fromEntries(inherited), SVC_VOICE_PORT: '0', SVC_FLEET_KEY: 'svc_fleet_x', ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (said.out += String(chunk)))
  child.stderr?.on('data', (chunk) => (said.err += String(chunk)))
  const ended = once(child, 'close').then(([status]) => status as number)
  return { child, said, ended }
}

test('a voice server that cannot start says why in one line (SD-01)', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const table: [Record<string, string>, number, string][] = [
    [
      { SVC_FLEET_KEY: '' },
      2,
      'SVC_FLEET_KEY is not set: give the voice server the one that the gateway has',
    ],
    [{ SVC_VOICE_PORT: 'x' }, 2, 'SVC_VOICE_PORT is not a port from 0 to 65535: x'],
    [
      { SVC_VOICE_PORT: String(port) },
      1,
      `port ${port} on 127.0.0.1 is taken: stop what listens there, or set SVC_VOICE_PORT`,
    ],
    [
      { SVC_HOST: '203.0.113.7' },
      1,
      'nothing can listen on 203.0.113.7: set SVC_HOST to an address of this machine',
    ],
  ]
  for (const [settings, status, sentence] of table) {
    const { ended, said } = start(t, settings)
    assert.equal(await ended, status)
    assert.equal(said.err, `${sentence}\n`)
  }
})

test('a voice server that is stopped finishes what it says and settles it', async (t) => {
  const wire = await new VoiceWire().start()
  t.after(() => wire.stop())
  const gateway = await new GatewayFake().start()
  t.after(() => gateway.stop())
  gateway.grant = () => ({ vendor: 'openai', options: { base_url: wire.url }, credentials: { api_key: 'x' } })
  let finish: () => void = () => {}
  wire.answer = (response) => {
    response.write(Buffer.alloc(4_800))
    finish = () => response.end(Buffer.alloc(4_800))
  }
  const { child, said, ended } = start(t, { SVC_GATEWAY_URL: gateway.url })
  const port = await until('it listens', () => /"port":(\d+)/.exec(said.out)?.[1])
  const caller = new VoiceCaller(`http://127.0.0.1:${port}`, 'svc_live_x')
  const answer = await caller.speak({ input: 'Hello.', voice: 'x', sample_rate: 24_000 })
  const reader = answer.body?.getReader()
  let bytes = (await reader?.read())?.value?.length ?? 0
  child.kill('SIGTERM')
  await until('it stops', async () =>
    caller.get('/').then(
      () => false,
      () => true,
    ),
  )
  finish()
  for (let next = await reader?.read(); !next?.done; next = await reader?.read())
    bytes += next?.value?.length ?? 0
  assert.equal(bytes, 9_600)
  assert.equal(await ended, 0)
  assert.deepEqual(gateway.settled, [{ grant: 'grant_1', spoken: true }])
})
