import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { ask, askJson, jsonOf, spokenWords, textIn } from './requests.ts'

const patient = () => AbortSignal.timeout(10_000)
const servers: Server[] = []

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

test('a redirect is not followed: it would carry the key to wherever it points', async () => {
  let isReached = false
  const elsewhere = await serve((_request, response) => {
    isReached = true
    response.end('{}')
  })
  const vendor = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end())
  const asking = askJson(vendor, {}, { headers: { 'x-api-key': 'secret' }, signal: patient() })
  await assert.rejects(asking, { kind: 'refused', message: 'HTTP 307' })
  assert.equal(isReached, false)
})

test('a body is posted, nothing is asked for with GET, and a method that is named is used', async () => {
  const vendor = await serve((request, response) => response.end(JSON.stringify({ method: request.method })))
  const methodOf = async (answer: Promise<Response>) => textIn(await jsonOf(await answer), 'method')
  const signal = patient()
  assert.equal(await methodOf(ask(vendor, { signal })), 'GET')
  assert.equal(await methodOf(askJson(vendor, {}, { signal })), 'POST')
  assert.equal(await methodOf(ask(vendor, { method: 'DELETE', signal })), 'DELETE')
})

test('a vendor that says no and then hangs has still said no (SD-26)', async () => {
  const vendor = await serve((_request, response) =>
    response.writeHead(400).write('{"detail": "no such luck"}'),
  )
  await assert.rejects(ask(vendor, { signal: patient() }), { kind: 'refused', message: 'no such luck' })
})

test('an endless answer is read only up to the limit', async () => {
  const endless = (status: number): RequestListener => {
    return (_request, response) => {
      response.writeHead(status)
      const more = () =>
        void (response.destroyed || response.write('x'.repeat(64 * 1024), () => setImmediate(more)))
      more()
    }
  }
  const refusing = ask(await serve(endless(400)), { signal: patient() })
  await assert.rejects(refusing, { kind: 'refused', message: /^x{16384}/ })
  const answer = await ask(await serve(endless(200)), { signal: patient() })
  await assert.rejects(jsonOf(answer), { kind: 'silent', message: 'its answer is too long' })
})

test('the sentence is found wherever a vendor puts it', () => {
  for (const said of [
    { error: { message: 'no' } },
    { message: 'no' },
    { detail: [{ msg: 'x' }, { message: 'y' }], message: 'no' },
    { errors: [{ reason: 'no' }] },
    { status: 400, err_msg: 'no' },
  ])
    assert.equal(spokenWords(JSON.stringify(said)), 'no')
  assert.equal(spokenWords('no'), 'no')
  assert.equal(spokenWords('{"unfinished": '), '{"unfinished": ')
})

test('a text that a whole answer must have is missing in a sentence', () => {
  assert.equal(textIn({ id: 'a' }, 'id'), 'a')
  for (const answer of [null, 'id', {}, { id: 7 }])
    assert.throws(() => textIn(answer, 'id'), { kind: 'silent', message: 'it sent no id' })
})
