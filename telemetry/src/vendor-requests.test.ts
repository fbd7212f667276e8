import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { traceHere } from '../testing/traced.ts'
import { inSpan, newCallTrace, placeOf, runAt, runForVendor } from './tracing.ts'

test('only requests to vendors carry the place in the trace, by fetch or by sockets, and nothing of ours adds it twice', async (t) => {
  const seen: (string | undefined)[] = []
  const see = (request: IncomingMessage) => seen.push(request.headers['traceparent'] as string | undefined)
  const vendor = createServer((request, response) => {
    see(request)
    response.end()
  })
  vendor.on('upgrade', (request, socket) => {
    see(request)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  t.after(() => vendor.close() && vendor.closeAllConnections())
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
  const fetched = async () => void (await (await fetch(url)).arrayBuffer())
  const upgraded = async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    const [response] = (await once(http.get(url, { headers }), 'response')) as [IncomingMessage]
    response.resume()
  }

  const traced = await traceHere()
  t.after(() => traced[Symbol.asyncDispose]())
  const call = newCallTrace() ?? ''
  const place = placeOf(call)
  await fetched()
  await runAt(place, fetched)
  await runAt(place, upgraded)
  assert.deepEqual(seen.splice(0), [undefined, undefined, undefined])
  await runForVendor(place, fetched)
  await runForVendor(place, upgraded)
  assert.deepEqual(seen.splice(0), [call, call])
  await runAt(place, () =>
    inSpan('chat', { toVendor: true }, async (span) => {
      await fetched()
      assert.deepEqual(seen.splice(0), [span?.traceparent])
      await runAt(place, fetched)
      assert.deepEqual(seen.splice(0), [undefined])
    }),
  )
})
