import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { after, afterEach, before, test } from 'node:test'
import type { TrunkTestStep } from '@switchroom/contract/trunk-tests'
import { SipTest } from '../../testing/sip-call.ts'
import { startDns, type TestDns } from '../../testing/sip-dns.ts'
import { type SipPeer, trunkTo } from '../../testing/sip-peer.ts'
import { TlsFiles } from '../../testing/sip-tls.ts'
import { header, isRequest } from './message.ts'

const run = new SipTest()
let files: TlsFiles
let dns: TestDns
before(async () => {
  files = await TlsFiles.make()
  dns = await startDns()
  for (const name of ['pbx.example', 'other.example']) dns.set(name, { A: ['127.0.0.1'] })
})
after(async () => {
  files.remove()
  await dns.close()
})
afterEach(() => run.stop())

/** A worker that tests trunks, and a carrier that answers every OPTIONS so. */
async function carrier(...answers: { status: string; headers?: string[] }[]) {
  const { server } = await run.server({ nameServers: [dns.address] })
  const peer: SipPeer = await run.peer(server)
  peer.socket.on('message', () => {
    const last = peer.received.at(-1)
    const next = answers.length > 1 ? answers.shift() : answers[0]
    if (last && isRequest(last) && next) peer.answer(last, next.status, { headers: next.headers ?? [] })
  })
  return { server, peer, steps: () => server.probe(trunkTo(peer.port)) }
}

const shortOf = (steps: readonly TrunkTestStep[]) => steps.map(({ step, state }) => `${step} ${state}`)
const failureIn = (steps: readonly TrunkTestStep[]) => steps.find(({ state }) => state === 'failed')

test('a trunk that answers is found, and each step says what it saw and how long it took', async () => {
  const { peer, steps } = await carrier({ status: '200 OK' })
  const tried = await steps()
  assert.deepEqual(shortOf(tried), ['location ok', 'connection skipped', 'options ok'])
  assert.deepEqual(
    tried.map(({ says }) => says),
    [
      `127.0.0.1 is at 127.0.0.1:${peer.port} over UDP`,
      'UDP has no connections',
      'the carrier answered 200 OK',
    ],
  )
  assert.ok(tried.every(({ took_ms, fix }) => took_ms >= 0 && fix === null))
})

test('a carrier that says nothing fails the OPTIONS step, and the sentence says where to look', async () => {
  const { steps } = await carrier()
  const tried = await steps()
  assert.deepEqual(shortOf(tried), ['location ok', 'connection skipped', 'options failed'])
  const { says, fix } = failureIn(tried) ?? {}
  assert.equal(says, 'the carrier did not answer OPTIONS')
  assert.equal(
    fix,
    'check the port and the transport of outbound_host, and that no firewall drops what comes from the worker or goes to it',
  )
})

test('403 and other answers that a call would get fail; a carrier that takes no OPTIONS is there all the same', async () => {
  const { steps } = await carrier({ status: '403 Forbidden' })
  const { step, says, fix } = failureIn(await steps()) ?? {}
  assert.deepEqual([step, says], ['options', 'the carrier answered 403 Forbidden'])
  assert.equal(fix, 'allow the address 127.0.0.1 at the carrier, or check the username of the account')
  for (const [status, isFailed] of [
    ['401 Unauthorized', true],
    ['503 Service Unavailable', true],
    ['404 Not Found', false],
    ['405 Method Not Allowed', false],
    ['501 Not Implemented', false],
  ] as const)
    assert.equal(failureIn(await (await carrier({ status })).steps()) !== undefined, isFailed, status)
})

test('a challenge is answered with the pair of the account', async () => {
  const challenge = 'WWW-Authenticate: Digest realm="peer", nonce="1", algorithm=MD5, qop="auth"'
  const { server, peer } = await carrier(
    { status: '401 Unauthorized', headers: [challenge] },
    { status: '200 OK' },
  )
  const trunk = trunkTo(peer.port, 'udp', { username: 'acme', password: 'secret' })
  assert.equal(failureIn(await server.probe(trunk)), undefined)
  const proofs = peer.received.filter(isRequest).map((request) => header(request, 'authorization') ?? '')
  assert.deepEqual([proofs[0], proofs[1]?.includes('username="acme"')], ['', true])
})

test('a host that is not in DNS, or that may not be dialled, fails the location step', async () => {
  const { server } = await carrier()
  const trunk = { ...trunkTo(0), hostname: 'absent.example' }
  const [step, ...more] = await server.probe(trunk)
  assert.deepEqual([step?.step, step?.state, more], ['location', 'failed', []])
  assert.equal(step?.says, 'absent.example has no IPv4 address')
  const fenced = await run.server({ mayDial: () => false })
  const [refused] = await fenced.server.probe(trunkTo(5060))
  assert.equal(refused?.says, '127.0.0.1 is at an address that may not be dialled')
})

test('over TLS the connection step checks the certificate that is shown now, and names what does not fit', async () => {
  const far = await run.answering({ tls: { port: 0, certificate: await files.certificate() } })
  const near = await run.server({ nameServers: [dns.address] })
  const trunk = (name: string, ca_certificates = files.authority.cert) => ({
    ...trunkTo(0, 'tls'),
    hostname: `${name}:${far.server.tlsPort}`,
    ca_certificates,
  })
  const well = await near.server.probe(trunk('pbx.example'))
  assert.deepEqual(shortOf(well), ['location ok', 'connection ok', 'options ok'])
  const wrong = failureIn(await near.server.probe(trunk('other.example')))
  assert.deepEqual(
    [wrong?.step, wrong?.says, wrong?.fix],
    [
      'connection',
      'the certificate of other.example does not match its name',
      'name the host in outbound_host that the certificate is for, or have the carrier show the right one',
    ],
  )
})

test('a port that takes no connections, or that speaks no TLS, fails the connection step', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  closed.close()
  await once(closed, 'close')
  const { server } = await run.server()
  const refused = failureIn(await server.probe(trunkTo(port, 'tcp')))
  assert.deepEqual([refused?.step, refused?.says], ['connection', '127.0.0.1 takes no connections'])
  const plain = createServer((socket) => void socket.on('error', () => {}).end('no TLS here')).listen(
    0,
    '127.0.0.1',
  )
  await once(plain, 'listening')
  const mute = failureIn(await server.probe(trunkTo((plain.address() as { port: number }).port, 'tls')))
  plain.close()
  assert.deepEqual([mute?.step, mute?.says], ['connection', '127.0.0.1 speaks no TLS that fits'])
})
