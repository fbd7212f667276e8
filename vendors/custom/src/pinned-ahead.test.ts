import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { trustedCertificate } from '@switchroom/kit/testing/trusted-certificate'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { pinnedFetch } from './pinned-fetch.ts'

const wire = {
  refusal: () => ({}),
  http: (_: unknown, answer: { json(body: unknown): Promise<void> }) => answer.json({ said: true }),
}

test('a request to an endpoint uses the connection that was opened ahead, and it is opened once', async (t) => {
  const { ca, ...certificate } = await trustedCertificate(t)
  const fake = await startWireFake(wire, certificate)
  t.after(() => fake.stop())
  const url = new URL(fake.url.replace('127.0.0.1', 'localhost'))
  const { fetch, connect } = pinnedFetch(['127.0.0.1'], ca)
  const says = async () => (await fetch(url, { method: 'POST', body: '{}' })).json()
  await Promise.all([connect(url), connect(url)])
  assert.deepEqual([await says(), fake.handshakes], [{ said: true }, 1])
  await new Promise(setImmediate)
  await connect(url)
  assert.deepEqual([await says(), fake.handshakes], [{ said: true }, 1])
})

test('a request on a connection that was opened ahead and that the endpoint closes is made again, once', async (t) => {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (requests === 1) request.socket.destroy()
    else response.end('Yes')
  })
  t.after(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://endpoint.invalid:${(server.address() as AddressInfo).port}`)
  const { fetch, connect } = pinnedFetch(['127.0.0.1'])
  await connect(url)
  assert.equal(await (await fetch(url, { method: 'POST', body: 'Hello' })).text(), 'Yes')
  assert.equal(requests, 2)
})

async function privateServer(t: TestContext) {
  let connections = 0
  const server = createServer().on('connection', () => (connections += 1))
  t.after(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

test('no connection is opened ahead to an address that the gateway did not check, whatever an endpoint is called', async (t) => {
  const { port, connections } = await privateServer(t)
  const vendor = vendorIn(join(import.meta.dirname, '..'))
  const modelAt = (base_url: string, addresses: string[]) => {
    const endpoint = { base_url, wire: 'chat', model: 'm', azure_api_version: null, addresses }
    return vendor?.model({
      model: 'llama',
      credentials: { api_key: 'key-of-a-test', endpoint: JSON.stringify(endpoint) },
    })
  }
  await assert.rejects(Promise.resolve(modelAt(`http://127.0.0.1:${port}/v1`, [])), {
    message: 'it has no address that was checked',
  })
  // an address that is not the checked one, and a name that leads to the private one when the call is opened
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost']) {
    const model = await modelAt(`http://${host}:${port}/v1`, ['127.0.0.9'])
    await model?.connect?.()
  }
  assert.equal(connections(), 0)

  const checked = await modelAt(`http://localhost:${port}/v1`, ['127.0.0.1'])
  await checked?.connect?.()
  assert.equal(connections(), 1)
})
