import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

/** The worker as it ships, in a process of its own; its gateway does not answer. */
function start(t: TestContext, settings: Record<string, string>) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const child = spawn(process.execPath, [program], {
    env: {
      ...Object.fromEntries(inherited),
      SVC_GATEWAY_URL: 'http://127.0.0.1:9',
      SVC_FLEET_KEY: 'svc_fleet_x',
      SVC_SIP_PORT: '0',
      SVC_WORKER_CALLS: '1',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr?.on('data', (chunk) => (said += String(chunk)))
  const heard: unknown[] = []
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      heard.push(message)
      if (message === 'ready') resolve()
    })
  })
  // Not the child's own 'close', which does not come once its channel was disconnected from here.
  const closed = [child, ...(child.stderr ? [child.stderr] : [])].map((one) =>
    once(one, one === child ? 'exit' : 'close'),
  )
  const ended = Promise.all(closed).then(() => child.exitCode)
  return { child, ready, heard, ended, said: () => said }
}

async function takenPort(t: TestContext): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket.address().port
}

test('a worker that cannot start says why in one line', async (t) => {
  const port = await takenPort(t)
  const table: [Record<string, string>, number, string][] = [
    [{ SVC_FLEET_KEY: '' }, 2, 'SVC_FLEET_KEY is not set: give the worker the one that the gateway has'],
    [{ SVC_SIP_PORT: 'x' }, 2, 'SVC_SIP_PORT is not a port from 0 to 65535: x'],
    [
      { SVC_SIP_PORT: String(port) },
      1,
      `port ${port} on 127.0.0.1 is taken: stop what listens there, or set SVC_SIP_PORT`,
    ],
    [
      { SVC_SIP_TLS_CERT_FILE: '/no/such', SVC_SIP_TLS_KEY_FILE: program },
      1,
      'calls over TLS cannot be taken: /no/such cannot be read (ENOENT): set SVC_SIP_TLS_CERT_FILE and SVC_SIP_TLS_KEY_FILE to a certificate and its key',
    ],
    [
      { SVC_SIP_HOST: '203.0.113.7' },
      1,
      'nothing can listen on 203.0.113.7: set SVC_SIP_HOST to an address of this machine',
    ],
  ]
  for (const [settings, status, sentence] of table) {
    const { ended, said } = start(t, settings)
    assert.equal(await ended, status)
    assert.equal(said(), `${sentence}\n`)
  }
})

test('a worker is ready before its gateway is, says where phones find it, and stops at once without a call', async (t) => {
  const { child, ready, heard, ended } = start(t, {})
  await ready
  const [where] = heard as [{ phones: string }]
  assert.match(where.phones, /^127\.0\.0\.1:\d+$/)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test('a worker whose launcher is gone goes too', async (t) => {
  const { child, ready, ended } = start(t, {})
  await ready
  child.disconnect()
  assert.equal(await ended, 0)
})
