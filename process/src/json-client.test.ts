import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { JsonClient } from './json-client.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function serve(t: TestContext, answer: Answer) {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server, client: new JsonClient({ url: `http://127.0.0.1:${port}`, authorization: 'Bearer x' }) }
}

test('a request carries the key, JSON and its own headers, and requests share a connection', async (t) => {
  const ports = new Set<number>()
  const { client } = await serve(t, async (request, response) => {
    ports.add(request.socket.remotePort ?? 0)
    const { authorization, 'content-type': type, 'svc-env': env } = request.headers
    const body = await text(request)
    response.writeHead(201).end(JSON.stringify({ method: request.method, authorization, type, env, body }))
  })
  const posted = await client.request({
    method: 'POST',
    path: '/calls',
    body: { n: 1 },
    headers: { 'svc-env': 'sandbox' },
    timeoutMs: 5_000,
  })
  assert.equal(posted.status, 201)
  assert.deepEqual(JSON.parse(posted.text), {
    method: 'POST',
    authorization: 'Bearer x',
    type: 'application/json',
    env: 'sandbox',
    body: '{"n":1}',
  })
  const got = await client.request({ method: 'GET', path: '/calls', timeoutMs: 5_000 })
  assert.deepEqual(JSON.parse(got.text), { method: 'GET', authorization: 'Bearer x', body: '' })
  assert.equal(ports.size, 1)
})

test('a request on a kept connection that the server closed is sent again on a new one', async (t) => {
  let requests = 0
  const { client } = await serve(t, (request, response) => {
    requests += 1
    if (requests === 2) request.socket.resetAndDestroy()
    else response.end('{}')
  })
  const ask = () => client.request({ method: 'GET', path: '/', timeoutMs: 5_000 })
  await ask()
  assert.equal((await ask()).status, 200)
  assert.equal(requests, 3)
})

test('a request that counts each time is sent once, also if the server goes away meanwhile', async (t) => {
  let requests = 0
  const { client } = await serve(t, (request, response) => {
    requests += 1
    if (requests === 2) request.socket.resetAndDestroy()
    else response.end('{}')
  })
  await client.request({ method: 'GET', path: '/', timeoutMs: 5_000 }) // leaves a connection that is kept
  const counted = client.request({ method: 'POST', path: '/', timeoutMs: 5_000, isOnce: true })
  await assert.rejects(counted, { code: 'ECONNRESET' })
  assert.equal(requests, 2)
})

test('a connection that is reset at once is not tried a second time', async (t) => {
  let requests = 0
  const { client } = await serve(t, (request) => {
    requests += 1
    request.socket.resetAndDestroy()
  })
  await assert.rejects(client.request({ method: 'GET', path: '/', timeoutMs: 5_000 }), { code: 'ECONNRESET' })
  assert.equal(requests, 1)
})

test('a request fails after its timeout, and when its signal aborts', async (t) => {
  const { client } = await serve(t, () => {})
  await assert.rejects(client.request({ method: 'GET', path: '/', timeoutMs: 50 }), { name: 'AbortError' })
  const abort = new AbortController()
  const request = client.request({ method: 'GET', path: '/', timeoutMs: 60_000, signal: abort.signal })
  abort.abort()
  await assert.rejects(request, { name: 'AbortError' })
})

test('a file is uploaded as it is read', async (t) => {
  const { client } = await serve(t, async (request, response) => {
    response.end(JSON.stringify([request.method, request.headers['content-type'], await text(request)]))
  })
  const file = Readable.from(['RI', 'FF'])
  const sent = await client.upload({
    path: '/',
    file,
    headers: { 'content-type': 'audio/wav' },
    timeoutMs: 5_000,
  })
  assert.deepEqual(JSON.parse(sent.text), ['PUT', 'audio/wav', 'RIFF'])
})

test('a server that refuses before it has read the upload is still understood', async (t) => {
  const { client } = await serve(t, (_request, response) => response.writeHead(413).end('too large'))
  const file = Readable.from([Buffer.alloc(1000), Buffer.alloc(1000)])
  const sent = await client.upload({
    path: '/',
    file,
    headers: { 'content-type': 'audio/wav' },
    timeoutMs: 5_000,
  })
  assert.deepEqual(sent, { status: 413, text: 'too large' })
})

test('an answer is decompressed for a request that accepts gzip, and one cut short is a failure', async (t) => {
  const whole = gzipSync(JSON.stringify({ text: 'long '.repeat(1000) }))
  const { client } = await serve(t, (request, response) => {
    const isCut = request.url === '/cut'
    assert.equal(request.headers['accept-encoding'], 'gzip')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(isCut ? whole.subarray(0, -10) : whole)
  })
  const ask = (path: string) =>
    client.request({ method: 'GET', path, headers: { 'accept-encoding': 'gzip' }, timeoutMs: 5_000 })
  assert.equal(JSON.parse((await ask('/')).text).text.length, 5000)
  await assert.rejects(ask('/cut'), /unexpected end of file/)
})
