import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { keepConnectionsIn } from '../testing/kept-dispatcher.ts'
import { connectAhead } from './kept-connections.ts'
import { ask, jsonOf } from './requests.ts'

/** A vendor that answers each request as the next of these does, and the last one all others. */
async function vendor(t: TestContext, ...answers: RequestListener[]) {
  keepConnectionsIn(t, 60_000)
  let requests = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const answer = answers[Math.min(requests, answers.length - 1)]
    requests += 1
    request.resume().once('end', () => answer?.(request, response)) // it has read all that it could charge for
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const asks = async () => {
    await new Promise(setImmediate) // the pool learns after an answer was read that its connection is free
    return jsonOf(await ask(url, { body: '{}', signal: AbortSignal.timeout(20_000) }))
  }
  return { url, asks, requests: () => requests }
}

const says: RequestListener = (_request, response) => void response.end('{"said":true}')
const resets: RequestListener = (request) => void request.socket.resetAndDestroy()
const closes: RequestListener = (request) => void request.socket.destroy()

test('a request on a kept connection that the vendor closes in that moment is made again, once', async (t) => {
  for (const ends of [resets, closes]) {
    const closing = await vendor(t, says, ends, says)
    await closing.asks()
    assert.deepEqual(await closing.asks(), { said: true })
    assert.equal(closing.requests(), 3)
  }
  const { asks, requests } = await vendor(t, says, resets)
  await asks()
  await assert.rejects(asks())
  assert.equal(requests(), 3)
})

test('a request on a connection that was opened ahead is made again too, once', async (t) => {
  const { url, asks, requests } = await vendor(t, resets, says)
  await connectAhead(url)
  assert.deepEqual(await asks(), { said: true })
  assert.equal(requests(), 2)
})

test('a request on a fresh connection is never made again: the vendor may charge for it', async (t) => {
  for (const ends of [resets, closes]) {
    const { asks, requests } = await vendor(t, ends)
    await assert.rejects(asks())
    assert.equal(requests(), 1)
  }
})

test('a request of which one byte of an answer came is never made again, on a kept connection neither', async (t) => {
  const breaksOff: RequestListener = (request) =>
    void request.socket.write('H', () => setTimeout(() => request.socket.destroy(), 50))
  const { asks, requests } = await vendor(t, says, breaksOff)
  await asks()
  await assert.rejects(asks())
  assert.equal(requests(), 2)
})

test('a request that the caller gave up is not made again', async (t) => {
  const { url, asks, requests } = await vendor(t, says, () => {})
  await asks()
  await new Promise(setImmediate)
  const gone = new AbortController()
  const asked = ask(url, { body: '{}', signal: gone.signal })
  asked.catch(() => {})
  while (requests() < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  gone.abort(new Error('gone'))
  await assert.rejects(asked, { message: 'gone' })
  assert.equal(requests(), 2)
})
