import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepConnectionsIn } from '../testing/kept-dispatcher.ts'
import { ask, jsonOf } from './requests.ts'

async function vendor(t: TestContext, listener: RequestListener) {
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, listener)
  let connections = 0
  server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const says = async () => {
    const signal = AbortSignal.timeout(20_000)
    return jsonOf(await ask(url, { body: '{}', headers: { 'content-type': 'application/json' }, signal }))
  }
  return { says, connections: () => connections }
}

test('a connection to a vendor is kept while a caller speaks, which takes longer than fetch keeps one', async (t) => {
  keepConnectionsIn(t, 60_000)
  const { says, connections } = await vendor(t, (_request, response) => {
    response.writeHead(200, { connection: 'keep-alive' }) // without a hint for how long
    response.end('{"n":1}')
  })
  await says()
  await sleep(5_500)
  await says()
  assert.equal(connections(), 1)
})
