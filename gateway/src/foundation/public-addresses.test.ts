import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { makeCertificates } from '../../testing/certificates.ts'
import { startDnsServer } from '../../testing/dns-server.ts'
import { HostRefused, PublicAddresses } from './public-addresses.ts'

const certificates = await makeCertificates()
const dns = await startDnsServer()
const servers: Server[] = []
after(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await dns[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})

const issuer = 'issuer.example'
dns.set(issuer, { A: ['127.0.0.1'] })
dns.set('routed.example', { A: ['93.184.216.34'], AAAA: ['2606:4700::1111'] })

const guarding = (privateHosts: string[] = [], limits?: { bodyBytes: number; timeMs: number }) =>
  new PublicAddresses({ privateHosts, resolver: dns.address, caPem: certificates.caPem }, limits)
const guard = guarding()
const lifted = guarding([issuer])

/** An https server on loopback that counts who connects. */
async function serve(answer: RequestListener, hosts = [issuer, '127.0.0.1']) {
  const server = createServer(await certificates.serverFor(...hosts), answer).listen(0, '127.0.0.1')
  servers.push(server)
  let connections = 0
  server.on('connection', () => (connections += 1))
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const notPublic = (host: string) => ({
  name: 'Error',
  reason: 'not-public',
  message: `${host} resolves to an address that is not public`,
})
const nothing = (host: string) => ({ reason: 'nothing', message: `${host} resolves to nothing` })

test('a host with public addresses has them all (ID-141)', async () => {
  assert.deepEqual(await guard.addressesOf('routed.example'), [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
  assert.deepEqual(await guard.addressesOf('Routed.Example.'), await guard.addressesOf('routed.example'))
  assert.deepEqual(await guard.addressesOf('8.8.8.8'), [{ address: '8.8.8.8', family: 4 }])
  assert.deepEqual(await guard.addressesOf('[2606:4700::1111]'), [{ address: '2606:4700::1111', family: 6 }])
})

test('one address that is not public refuses them all (ID-141, ID-158)', async () => {
  dns.set('both.example', { A: ['93.184.216.34', '10.0.0.1'] })
  dns.set('sixth.example', { A: ['93.184.216.34'], AAAA: ['::1'] })
  for (const host of ['both.example', 'sixth.example'])
    await assert.rejects(guard.addressesOf(host), notPublic(host))
})

test('an address written out is checked in every spelling (ID-141)', async () => {
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '::1',
    '[::ffff:127.0.0.1]',
    '64:ff9b::7f00:1',
  ])
    await assert.rejects(guard.addressesOf(host), notPublic(host))
})

test("the system's own names are checked too (ID-141)", async () => {
  const system = new PublicAddresses({ privateHosts: [], resolver: undefined, caPem: undefined })
  for (const host of ['localhost', 'LOCALHOST.'])
    await assert.rejects(system.addressesOf(host), notPublic(host))
  assert.deepEqual(system.tls, {})
})

test('a name without an address, unknown or unanswered, resolves to nothing (ID-158)', async () => {
  dns.set('empty.example', {})
  for (const host of ['empty.example', 'unknown.example', 'not a host'])
    await assert.rejects(guard.addressesOf(host), nothing(host))
  dns.fail(true)
  await assert.rejects(guard.addressesOf('routed.example'), nothing('routed.example'))
  dns.fail(false)
})

test('texts come each in one piece, none is an empty list, and a failure is a failure (ID-142)', async () => {
  const long = `svc-verify=${'x'.repeat(300)}`
  dns.set('proof.example', { TXT: ['v=spf1 -all', long] })
  assert.deepEqual(await guard.textsAt('proof.example'), ['v=spf1 -all', long])
  dns.set('textless.example', { A: ['8.8.8.8'] })
  assert.deepEqual(await guard.textsAt('textless.example'), [])
  assert.deepEqual(await guard.textsAt('unknown.example'), [])
  dns.fail(true)
  await assert.rejects(guard.textsAt('proof.example'), { code: 'ESERVFAIL' })
  dns.fail(false)
})

test('a host the operator lifts is reached, by name and by address, with or without its port (ID-142)', async () => {
  const server = await serve((request, answer) => answer.end(`${request.method} ${request.headers.host}`))
  const byName = await lifted.fetch(`https://${issuer}:${server.port}/x`, {
    method: 'POST',
    body: new URLSearchParams({ a: 'b' }),
  })
  assert.deepEqual([byName.status, await byName.text()], [200, `POST ${issuer}:${server.port}`])
  assert.ok(byName instanceof Response)
  const byAddress = await guarding([`127.0.0.1:${server.port}`]).fetch(`https://127.0.0.1:${server.port}/`)
  assert.equal(byAddress.status, 200)
})

test('a host that is not lifted sees no connection (ID-141, ID-142)', async () => {
  const server = await serve((_request, answer) => answer.end())
  for (const host of [issuer, '127.0.0.1', '[::ffff:127.0.0.1]'])
    await assert.rejects(guard.fetch(`https://${host}:${server.port}/`), HostRefused)
  await assert.rejects(guard.fetch(`https://2130706433:${server.port}/`), notPublic('127.0.0.1'))
  await assert.rejects(guard.fetch(`https://0177.1:${server.port}/`), notPublic('127.0.0.1'))
  assert.equal(server.connections(), 0)
})

test('the connection goes to an address that was checked, whatever the name says next (ID-141)', async () => {
  const server = await serve((_request, answer) => answer.end())
  const answers = ['93.184.216.34', '127.0.0.1']
  dns.set('rebinding.example', () => ({ A: answers.splice(0, 1) }))
  const hasty = guarding([], { bodyBytes: 1000, timeMs: 300 })
  await assert.rejects(
    hasty.fetch(`https://rebinding.example:${server.port}/`),
    (error) => !(error instanceof HostRefused),
  )
  dns.set('rebinding.example', { A: ['127.0.0.1'] })
  await assert.rejects(
    hasty.fetch(`https://rebinding.example:${server.port}/`),
    notPublic('rebinding.example'),
  )
  assert.equal(server.connections(), 0)
})

test('a kept-alive connection is not used again: every request is checked (ID-141)', async () => {
  const server = await serve((_request, answer) => answer.end('here'))
  const askedBefore = dns.asked().length
  for (const n of [1, 2, 3]) {
    await lifted.fetch(`https://${issuer}:${server.port}/`)
    assert.deepEqual([server.connections(), dns.asked().length - askedBefore], [n, n * 2])
  }
})

test('http, a redirect, a body too long and a server that hangs are failures (ID-141, ID-142)', async () => {
  const elsewhere = await serve((_request, answer) => answer.end())
  const server = await serve((request, answer) => {
    if (request.url === '/redirect')
      answer.writeHead(302, { location: `https://${issuer}:${elsewhere.port}/` }).end()
    if (request.url === '/long') answer.end(Buffer.alloc(300 * 1024))
    if (request.url === '/fits') answer.end(Buffer.alloc(256 * 1024))
    if (request.url === '/slow') answer.write('{')
    if (request.url === '/empty') answer.writeHead(204).end()
  })
  const at = (path: string) => `https://${issuer}:${server.port}${path}`
  await assert.rejects(lifted.fetch(at('/').replace('https', 'http')), {
    message: `${issuer}:${server.port} is asked over https alone`,
  })
  await assert.rejects(lifted.fetch(at('/redirect')), {
    message: `${issuer}:${server.port} redirects, and no redirect is followed`,
  })
  assert.equal(elsewhere.connections(), 0)
  await assert.rejects(lifted.fetch(at('/long')), {
    message: `${issuer}:${server.port} answers more than 262144 bytes`,
  })
  assert.equal((await (await lifted.fetch(at('/fits'))).arrayBuffer()).byteLength, 256 * 1024)
  assert.equal((await lifted.fetch(at('/empty'))).status, 204)
  const hasty = guarding([issuer], { bodyBytes: 1000, timeMs: 300 })
  for (const path of ['/slow', '/never'])
    await assert.rejects(hasty.fetch(at(path)), { name: 'TimeoutError' })
  await assert.rejects(lifted.fetch(at('/never'), { signal: AbortSignal.abort() }), { name: 'AbortError' })
})

test('a certificate is verified, for its root and for its name (ID-142)', async () => {
  const server = await serve((_request, answer) => answer.end(), ['other.example'])
  await assert.rejects(lifted.fetch(`https://${issuer}:${server.port}/`), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  const good = await serve((_request, answer) => answer.end())
  const rootless = new PublicAddresses({ privateHosts: [issuer], resolver: dns.address, caPem: undefined })
  await assert.rejects(rootless.fetch(`https://${issuer}:${good.port}/`), {
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  })
})

test("the environment's proxies are not used (ID-141)", async () => {
  const server = await serve((_request, answer) => answer.end())
  process.env['https_proxy'] = process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1'
  assert.equal((await lifted.fetch(`https://${issuer}:${server.port}/`)).status, 200)
  delete process.env['https_proxy']
  delete process.env['HTTPS_PROXY']
})

test('a name server that is silent and a connection that hangs are given up when the signal says so (ID-164)', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const deaf = new PublicAddresses({
    privateHosts: [],
    resolver: `127.0.0.1:${silent.address().port}`,
    caPem: undefined,
  })
  await assert.rejects(deaf.connectForOperator('mail.example', 25, AbortSignal.timeout(100)), {
    name: 'TimeoutError',
  })
  silent.close()
  const server = await serve((_request, answer) => answer.end())
  const socket = await guard.connectForOperator(issuer, server.port, AbortSignal.timeout(100))
  const [error] = await once(socket, 'error').catch((failure: Error) => [failure])
  assert.equal(error.name, 'AbortError')
  assert.ok(socket.destroyed)
})

test('the operator may connect to what is not public (ID-158)', async () => {
  const server = await serve((_request, answer) => answer.end())
  const socket = await guard.connectForOperator(issuer, server.port, AbortSignal.timeout(5000))
  socket.destroy()
  assert.equal(server.connections(), 1)
  await assert.rejects(guard.connect(issuer, server.port, AbortSignal.timeout(5000)), notPublic(issuer))
})
