import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { TlsFiles } from '@switchroom/media/testing/sip-tls'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

test('a worker with a certificate takes calls over TLS, and says which port is taken if another program has it', async (t) => {
  const files = await TlsFiles.make()
  t.after(() => files.remove())
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const start = (tlsPort: number) => {
    const child = spawn(process.execPath, [program], {
      env: {
        ...Object.fromEntries(inherited),
        SVC_GATEWAY_URL: 'http://127.0.0.1:9',
        SVC_FLEET_KEY: 'svc_fleet_x',
        SVC_SIP_PORT: '0',
        SVC_SIP_LOCAL_ORG: 'demo',
        SVC_WORKER_CALLS: '1',
        SVC_SIP_TLS_CERT_FILE: files.path('cert'),
        SVC_SIP_TLS_KEY_FILE: files.path('key'),
        SVC_SIP_TLS_PORT: String(tlsPort),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    t.after(() => child.kill('SIGKILL'))
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
    return { child, said: () => said }
  }
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  assert.ok(address && typeof address === 'object')
  const { port } = address
  const refused = start(port)
  await once(refused.child, 'close')
  assert.match(
    refused.said(),
    new RegExp(`port ${port} on 127.0.0.1 is taken: .*, or set SVC_SIP_TLS_PORT\n`),
  )
  await new Promise((resolve) => other.close(resolve))

  const { child, said } = start(0)
  while (!said().includes('"tls":'))
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
  const tlsPort = Number(/"tls":(\d+)/.exec(said())?.[1])
  const socket = connect({
    port: tlsPort,
    host: '127.0.0.1',
    servername: 'pbx.example',
    ca: files.authority.cert,
  })
  await once(socket, 'secureConnect')
  assert.ok(socket.authorized)
  socket.destroy()
})
