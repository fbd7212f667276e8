import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { pinnedFetch } from './pinned-fetch.ts'

test('a kept connection that the endpoint closed is replaced by a new one, and a new one that it closes is a failure', async (t) => {
  const sockets: Socket[] = []
  let closes = 'kept'
  const server = createServer((request, response) => {
    const isKept = sockets.includes(request.socket)
    sockets.push(request.socket)
    if (closes === 'all' || isKept) request.socket.destroy()
    else response.end('Yes')
  })
  t.after(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://endpoint.invalid:${(server.address() as AddressInfo).port}`)
  const { fetch } = pinnedFetch(['127.0.0.1'])
  const ask = async () => (await fetch(url, { method: 'POST', body: 'Hello' })).text()

  assert.deepEqual([await ask(), await ask()], ['Yes', 'Yes'])
  const [first, second, third] = sockets
  assert.ok(first === second && third !== first && sockets.length === 3)
  closes = 'all'
  await assert.rejects(ask(), { code: 'ECONNRESET' })
})

test('an answer without a body is one', async (t) => {
  const server = createServer((_request, response) => response.writeHead(204).end())
  t.after(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const answer = await pinnedFetch(['127.0.0.1']).fetch(url, { method: 'POST', body: 'Hello' })
  assert.deepEqual([answer.status, await answer.text()], [204, ''])
})

test('an answer of which a byte came on a kept connection is not asked for again', async (t) => {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (requests === 1) return response.end('Yes')
    return request.socket.write('H', () => setTimeout(() => request.socket.destroy(), 50))
  })
  t.after(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://endpoint.invalid:${(server.address() as AddressInfo).port}`)
  const { fetch } = pinnedFetch(['127.0.0.1'])
  await (await fetch(url, { method: 'POST', body: 'Hello' })).text()
  await new Promise(setImmediate)
  await assert.rejects(fetch(url, { method: 'POST', body: 'Hello' }))
  assert.equal(requests, 2)
})
