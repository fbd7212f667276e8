import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { makeAuthority } from '../../testing/sip-certificates.ts'
import { SipTest } from '../../testing/sip-call.ts'
import { writtenBy } from '../../testing/sip-flood.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { TlsFiles } from '../../testing/sip-tls.ts'
import { header } from './message.ts'
import { parseMessage } from './parser.ts'
import { ServerCertificate } from './server-certificate.ts'

const run = new SipTest()
let files: TlsFiles
const sockets: Socket[] = []
before(async () => (files = await TlsFiles.make()))
after(() => files.remove())
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  files.sentences.length = 0
  await run.stop()
})

const fences = [openFence]
const [to, from] = ['+34911222333', '+34600111222']
const options = writtenBy('OPTIONS', 1, { address: '127.0.0.1', port: 5060 }).replace('UDP', 'TLS')

const answering = async (isMutual = false, more: Parameters<typeof run.answering>[0] = {}) => {
  const under = await run.answering({
    tls: { port: 0, certificate: await files.certificate(isMutual) },
    ...more,
  })
  const tlsPort = under.server.tlsPort
  assert.ok(tlsPort)
  return { ...under, tlsPort }
}

async function secured(port: number, more: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'pbx.example',
    ca: files.authority.cert,
    ...more,
  })
  sockets.push(socket)
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return socket
}

test('a call comes in over TLS, and each end names the port and the transport that it is reached at', async () => {
  const far = await answering()
  const near = await run.server({ tls: { port: 0, certificate: await files.certificate() } })
  const trunk = {
    ...trunkTo(0, 'tls'),
    hostname: `localhost:${far.tlsPort}`,
    ca_certificates: files.authority.cert,
  }
  const call = await near.server.invite(to, trunk, from, never)
  const other = await far.calls[0]
  assert.ok(other)
  assert.equal(call.terms.remotePort, other.terms.localPort)
  await other.bye()
  assert.equal(await call.ended, 'hangup')
  const socket = await secured(far.tlsPort)
  const invite = writtenBy('INVITE', 1, { address: '127.0.0.1', port: 5060 }, '').replace('UDP', 'TLS')
  socket.write(invite)
  const seen: Buffer[] = []
  socket.on('data', (bytes: Buffer) => seen.push(bytes))
  await until(() => Buffer.concat(seen).includes('SIP/2.0 180'))
  const bytes = Buffer.concat(seen)
  const ringing = parseMessage(bytes.subarray(bytes.indexOf('SIP/2.0 180')))
  assert.match(header(ringing, 'contact') ?? '', new RegExp(`@127.0.0.1:${far.tlsPort};transport=tls>`))
  assert.match(header(ringing, 'via') ?? '', /^SIP\/2\.0\/TLS /)
})

test(
  'openssl agrees on TLS with the port for calls, and is shown its certificate',
  { skip: missing('openssl') },
  async () => {
    const { tlsPort } = await answering()
    const where = `-connect 127.0.0.1:${tlsPort} -servername pbx.example -CAfile ${files.path('ca')}`
    const checked = '-verify_return_error -verify_hostname pbx.example -quiet -no_ign_eof'
    const child = spawn(pathOf('openssl'), ['s_client', ...where.split(' '), ...checked.split(' ')])
    let said = ''
    child.stdout.on('data', (chunk) => (said += String(chunk)))
    child.stdin.write(options)
    await until(() => said.includes('\r\n\r\n') || child.exitCode !== null)
    assert.match(said, /^SIP\/2\.0 200 OK\r\n/)
    child.stdin.end()
    await once(child, 'exit')
  },
)

test('a new certificate is shown to the next caller and no call is dropped; a broken one is not taken', async () => {
  const far = await answering()
  const near = await run.server()
  const trunk = {
    ...trunkTo(0, 'tls'),
    hostname: `localhost:${far.tlsPort}`,
    ca_certificates: files.authority.cert,
  }
  const call = await near.server.invite(to, trunk, from, never)
  const shown = async () => {
    const socket = await secured(far.tlsPort)
    const { serialNumber } = socket.getPeerX509Certificate() ?? {}
    socket.destroy()
    return serialNumber
  }
  const first = await shown()
  const next = await files.authority.sign(['pbx.example', 'localhost'])
  files.write(next)
  await until(() => files.sentences.length === 1)
  assert.deepEqual(files.sentences, [
    `the certificate for SIP over TLS was read again: ${files.path('cert')}`,
  ])
  assert.equal(await shown(), new X509Certificate(next.cert).serialNumber)
  assert.notEqual(await shown(), first)
  const stays = 'the certificate for SIP over TLS stays as it was:'
  for (const [path, text, why] of [
    [files.path('cert'), 'no certificate', `${files.path('cert')} holds no certificate in PEM`],
    [
      files.path('cert'),
      files.authority.cert,
      `${files.path('key')} is not the key of ${files.path('cert')}`,
    ],
    [files.path('key'), 'no key', `${files.path('key')} holds no private key in PEM`],
  ] as const) {
    files.sentences.length = 0
    writeFileSync(path, text)
    await until(() => files.sentences.length === 1)
    assert.deepEqual(files.sentences, [`${stays} ${why}`])
    assert.equal(await shown(), new X509Certificate(next.cert).serialNumber)
  }
  files.write(next)
  assert.equal(far.server.stats.dialogs, 1)
  await (await far.calls[0])?.bye()
  assert.equal(await call.ended, 'hangup')
  await assert.rejects(
    ServerCertificate.read({ cert: '/no/such', key: files.path('key') }, () => {}),
    {
      name: 'MediaError',
      message: '/no/such cannot be read (ENOENT)',
    },
  )
})

test('where callers must show a certificate, one of another authority and none at all are not let in', async () => {
  const { tlsPort, server } = await answering(true)
  const own = await files.authority.sign(['phone.example'])
  const foreign = await (await makeAuthority('other')).sign(['phone.example'])
  for (const shown of [{}, foreign]) {
    const socket = await secured(tlsPort, shown).catch(() => null)
    socket?.write(options)
    await until(() => server.stats.connections === 0 && (socket?.destroyed ?? true))
    assert.equal(socket?.bytesRead ? String(socket.read() ?? '') : '', '')
  }
  const socket = await secured(tlsPort, own)
  socket.write(options)
  assert.match(String((await once(socket, 'data'))[0]), /^SIP\/2\.0 200 OK\r\n/)
})

test('a source that no fence lists is cut off before any handshake', async () => {
  const none: typeof fences = []
  const { tlsPort, server } = await answering(false, { fences: () => none })
  await assert.rejects(secured(tlsPort))
  assert.equal(server.stats.refused, 1)
  assert.equal(server.stats.connections, 0)
})

test('handshakes that are slow, no TLS, too many or too quick are cut, and others are served', async () => {
  const { tlsPort, server } = await answering(false, {
    timing: { messageWithinMs: 1_500 },
    limits: { connectionsOfSource: 8, handshakesPerS: 20 },
  })
  const plain = async (bytes: string | Buffer, localAddress = '127.0.0.1') => {
    const socket = connectPlain({ port: tlsPort, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => {}).on('data', () => {})
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    if (bytes !== '') socket.write(bytes)
    return socket
  }
  const hello = Buffer.from('16030100c8010000c40303', 'hex')
  for (const bytes of [options, 'GET / HTTP/1.1\r\n\r\n', Buffer.alloc(20_000, 0x16), Buffer.alloc(5_000)]) {
    const socket = await plain(bytes)
    await until(() => socket.destroyed)
  }
  // Half a handshake, and none: there are never more of them than one source may have.
  const slow = await Promise.all(Array.from({ length: 12 }, (_, n) => plain(n % 2 ? hello : '', '127.0.0.2')))
  await until(() => slow.filter((socket) => socket.destroyed).length >= 4)
  assert.ok(server.stats.connections <= 8, `${server.stats.connections} stand`)
  const friend = await secured(tlsPort)
  friend.write(options)
  assert.match(String((await once(friend, 'data'))[0]), /^SIP\/2\.0 200 OK\r\n/)
  await until(() => slow.every((socket) => socket.destroyed))
  // A source that only shakes hands is cut off before it costs more of them.
  let isRefused = false
  for (let tried = 0; tried < 300 && !isRefused; tried++) {
    const quick = await secured(tlsPort, { localAddress: '127.0.0.3' } as ConnectionOptions).catch(() => null)
    isRefused = quick === null
    quick?.destroy()
  }
  assert.ok(isRefused)
  friend.write(options.replaceAll('z9hG4bK', 'z9hG4bKnext'))
  assert.match(String((await once(friend, 'data'))[0]), /^SIP\/2\.0 200 OK\r\n/)
  await until(() => server.stats.connections === 1)
})

test('garbage inside of TLS is cut like that over TCP', async () => {
  const { tlsPort, server } = await answering()
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', `INVITE sip:a@b SIP/2.0\r\n${'X: y\r\n'.repeat(20_000)}`]) {
    const socket = await secured(tlsPort)
    socket.write(bytes)
    await until(() => socket.destroyed)
  }
  assert.equal(server.stats.malformed, 2)
  await until(() => server.stats.connections === 0)
})
