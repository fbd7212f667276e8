import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { key } from '../testing/connected.ts'
import { GatewayRefusal } from './gateway-refusal.ts'
import { ThreadsClient } from './threads.ts'

/** A gateway that answers every request alike, and what it was asked. */
async function gatewayAnswering(t: TestContext, status: number, answer: object) {
  const asked: { method: string; url: string; key: string; body: unknown }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    asked.push({
      method,
      url,
      key: String(headers.authorization),
      body: body === '' ? null : JSON.parse(body),
    })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, threads: new ThreadsClient({ url, key }) }
}

test('templates are listed and sent, and threads read, written and marked, at the addresses of the API', async (t) => {
  const { asked, threads } = await gatewayAnswering(t, 200, { threads: [{ contact: '+1' }] })
  assert.deepEqual(await threads.list('desk', { contact: '+34911234567', turns: 3 }), [{ contact: '+1' }])
  assert.deepEqual(await threads.page('desk', { after: 'abc' }), { threads: [{ contact: '+1' }], next: null })
  await threads.write('desk', '+34911234567', 'Hello')
  await threads.templates('desk', { contact: '+34911234567' })
  await threads.sendTemplate('desk', '+34911234567', { name: 'reminder', variables: { 1: 'Ana' } })
  await threads.markRead('desk', '+34911234567', 12)
  await threads.markRead('desk', '+34911234567')
  const at = '/v1/agents/desk/threads/%2B34911234567'
  assert.deepEqual(
    asked.map(({ method, url, body }) => [method, url, body]),
    [
      ['GET', '/v1/agents/desk/threads?contact=%2B34911234567&turns=3', null],
      ['GET', '/v1/agents/desk/threads?limit=50&after=abc', null],
      ['POST', `${at}/messages`, { text: 'Hello' }],
      ['GET', '/v1/agents/desk/templates?contact=%2B34911234567', null],
      ['POST', `${at}/templates`, { name: 'reminder', variables: { 1: 'Ana' } }],
      ['PUT', `${at}/read`, { up_to: 12 }],
      ['PUT', `${at}/read`, {}],
    ],
  )
  assert.ok(asked.every((request) => request.key === `Bearer ${key}`))
})

test("a refused message throws the gateway's sentence", async (t) => {
  const detail =
    '+34911234567 last wrote 24 hours ago or longer: send an approved template, or wait until they write'
  const { threads } = await gatewayAnswering(t, 409, { detail })
  await assert.rejects(
    threads.write('desk', '+34911234567', 'Hello'),
    (error) => error instanceof GatewayRefusal && error.status === 409 && error.message === detail,
  )
})
