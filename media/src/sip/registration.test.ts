import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { startDns } from '../../testing/sip-dns.ts'
import { trunkTo, until, type SipPeer } from '../../testing/sip-peer.ts'
import { header, isRequest, type SipRequest } from './message.ts'
import type { Registration, RegistrationState, SipTrunk } from './server.ts'

const run = new SipTest()
let registration: Registration | undefined
afterEach(async () => {
  await registration?.stop()
  registration = undefined
  await run.stop()
})

const pair = { username: 'acme', password: 'a word' }
const challenge = (nonce: string, more = '') =>
  `WWW-Authenticate: Digest realm="pbx", nonce="${nonce}", qop="auth"${more}`

/** A registrar that answers each request as it is told to; the last way is for all that follow. */
async function registered(
  answers: ((request: SipRequest, registrar: SipPeer) => void)[],
  more: Partial<SipTrunk> = {},
) {
  const { server } = await run.server({ timing: { t1Ms: 20, t2Ms: 40, t4Ms: 20 } })
  const registrar = await run.peer(server)
  const asked: SipRequest[] = []
  registrar.socket.on('message', () => {
    const last = registrar.received.at(-1)
    if (!last || !isRequest(last) || asked.some(({ cseq }) => cseq.number === last.cseq.number)) return
    asked.push(last)
    answers[Math.min(asked.length, answers.length) - 1]?.(last, registrar)
  })
  const states: RegistrationState[] = []
  const trunk = { ...trunkTo(registrar.port, 'udp', pair), ...more }
  registration = server.register({ trunk, username: 'acme', onState: (state) => states.push(state) })
  return { registrar, asked, states, server }
}

const accept =
  (expiresS: number) =>
  (request: SipRequest, registrar: SipPeer): void => {
    const contact = header(request, 'contact')?.replace(/;expires=.*/, '') ?? ''
    registrar.answer(request, '200 OK', {
      headers: [`Contact: <sip:other@10.0.0.1>;expires=9, ${contact};expires=${expiresS}`],
    })
  }
const refuse =
  (status: string, ...headers: string[]) =>
  (request: SipRequest, registrar: SipPeer): void =>
    registrar.answer(request, status, { headers })

test('a user is registered with digest for as long as the registrar grants, and taken back when it is over', async () => {
  const { asked, states, registrar, server } = await registered([
    refuse('401 Unauthorized', challenge('first')),
    accept(1800),
    refuse('401 Unauthorized', challenge('second')),
    accept(0),
  ])
  await until(() => states.length === 2)
  assert.deepEqual(states, [
    { state: 'trying', says: null },
    { state: 'registered', forS: 1800, addresses: ['127.0.0.1'] },
  ])
  const [first, second] = asked
  assert.ok(first && second)
  assert.equal(first.uri, 'sip:127.0.0.1')
  assert.equal(header(first, 'to'), '<sip:acme@127.0.0.1>')
  assert.match(
    header(first, 'contact') ?? '',
    new RegExp(`^<sip:acme@127.0.0.1:${server.port}>;expires=300$`),
  )
  assert.match(header(second, 'authorization') ?? '', /username="acme".*nonce="first"/)
  assert.equal(first.callId, second.callId)
  await registration?.stop()
  const last = registrar.received.findLast(isRequest)
  assert.equal(header(last ?? first, 'expires'), '0')
  assert.match(header(last ?? first, 'authorization') ?? '', /nonce="second"/)
})

test('a registrar that wants longer registrations gets them, and a stale nonce is answered with the new one', async () => {
  const { asked, states } = await registered([
    refuse('423 Interval Too Brief', 'Min-Expires: 3600'),
    refuse('401 Unauthorized', challenge('old')),
    refuse('401 Unauthorized', challenge('new', ', stale=true')),
    accept(3600),
  ])
  await until(() => states.length === 2)
  assert.deepEqual(states[1], { state: 'registered', forS: 3600, addresses: ['127.0.0.1'] })
  assert.deepEqual(
    asked.map((request) => header(request, 'expires')),
    ['300', '3600', '3600', '3600'],
  )
  assert.match(header(asked[3] as SipRequest, 'authorization') ?? '', /nonce="new"/)
})

test('a wrong password is asked for once, and the refusal says what to check', async () => {
  const { asked, states } = await registered([refuse('401 Unauthorized', challenge('one'))])
  await until(() => states.length === 2)
  assert.deepEqual(states[1], {
    state: 'refused',
    says: 'the registrar answered 401 Unauthorized: check the username and the password',
  })
  assert.equal(asked.length, 2)
})

test('a registrar that is silent or says that it cannot is left for the next of its addresses', async (t) => {
  const dns = await startDns()
  t.after(() => dns.close())
  const { server } = await run.server({ nameServers: [dns.address], timing: { t1Ms: 100 } })
  const addresses = ['127.0.1.1', '127.0.1.2', '127.0.1.3']
  const peers = await Promise.all(addresses.map((address) => run.peer(server, address)))
  const asked = new Set<string>()
  const order: string[] = []
  for (const [at, peer] of peers.entries()) {
    dns.set(`${peer.address}.example`, { A: [peer.address] })
    peer.socket.on('message', () => {
      const last = peer.received.findLast(isRequest)
      if (!last || asked.has(`${at} ${last.cseq.number}`)) return
      asked.add(`${at} ${last.cseq.number}`)
      order.push(peer.address)
      if (at === 1) refuse('503 Service Unavailable')(last, peer)
      if (at === 2) accept(header(last, 'expires') === '0' ? 0 : 30)(last, peer)
    })
  }
  dns.set('_sip._udp.pbx.example', {
    SRV: peers.map(({ address, port }, at) => ({
      priority: at,
      weight: 0,
      port,
      name: `${address}.example`,
    })),
  })
  const states: RegistrationState[] = []
  registration = server.register({
    trunk: { ...trunkTo(0, 'udp', pair), hostname: 'pbx.example' },
    username: 'acme',
    onState: (state) => states.push(state),
  })
  await until(() => states.length === 2)
  assert.deepEqual(states[1], { state: 'registered', forS: 30, addresses })
  assert.deepEqual(order, addresses)
  const sendings = peers[0]?.received.length ?? 0
  assert.ok(sendings < 6, `the silent address was sent ${sendings} requests before the next one was asked`)
  assert.equal(peers[2]?.received.findLast(isRequest)?.to.uri, 'sip:acme@pbx.example')
  // What is taken back is taken back where it is.
  await registration.stop()
  assert.deepEqual(order, [...addresses, '127.0.1.3'])
})

test('a registrar that does not answer, or is at an address that may not be dialled, is tried again', async () => {
  const { states } = await registered([() => {}])
  await until(() => states.length === 2)
  assert.deepEqual(states[1], {
    state: 'trying',
    says: 'the registrar does not answer: check its host, port and transport',
  })
  await registration?.stop()
  const { server } = await run.server({ mayDial: () => false })
  const refused: RegistrationState[] = []
  registration = server.register({
    trunk: trunkTo(5060),
    username: 'acme',
    onState: (state) => refused.push(state),
  })
  await until(() => refused.length === 2)
  assert.deepEqual(refused[1], {
    state: 'trying',
    says: '127.0.0.1 is at an address that may not be dialled',
  })
})
