import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, afterEach, before, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { startDns, type TestDns } from '../../testing/sip-dns.ts'
import { never, offerOf, type SipPeer, trunkTo } from '../../testing/sip-peer.ts'
import { isRequest } from './message.ts'

const run = new SipTest()
let dns: TestDns
before(async () => (dns = await startDns()))
after(() => dns.close())
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']
const trunk = (hostname: string, transport: 'udp' | 'tcp' = 'udp') => ({ ...trunkTo(0, transport), hostname })
const at = (name: string, port: number, priority: number, weight = 0) => ({ priority, weight, port, name })

/** Carriers at addresses of their own, and one who dials them by name. */
async function carriers(...addresses: string[]) {
  const near = await run.server({ nameServers: [dns.address], timing: { t1Ms: 300 } })
  const peers: SipPeer[] = []
  for (const address of addresses) {
    dns.set(`${address}.example`, { A: [address] })
    peers.push(await run.peer(near.server, address))
  }
  const dial = (host: string) => near.server.invite(to, trunk(host), from, never)
  return { near, peers, dial }
}

const invites = (peer: SipPeer) =>
  peer.received.filter((message) => isRequest(message) && message.method === 'INVITE')

test('a trunk is found by its SRV records in the order of their priorities, and by NAPTR if that names them', async () => {
  const { peers, dial } = await carriers('127.0.1.1', '127.0.1.2')
  const [first, second] = peers
  assert.ok(first && second)
  const records = [at('127.0.1.2.example', second.port, 20), at('127.0.1.1.example', first.port, 10)]
  dns.set('_sip._udp.srv.example', { SRV: records })
  dns.set('pointed.example', {
    NAPTR: [
      { order: 1, preference: 1, service: 'SIPS+D2T', replacement: '_sips._tcp.nowhere.example' },
      { order: 10, preference: 1, service: 'SIP+D2U', replacement: '_sip._udp.srv.example' },
      { order: 20, preference: 1, service: 'SIP+D2U', replacement: '_sip._udp.nowhere.example' },
    ],
  })
  for (const host of ['srv.example', 'pointed.example']) {
    const calling = dial(host)
    first.answer(await first.asked('INVITE'), '603 Decline')
    await assert.rejects(calling, { status: 603 })
    first.received.length = 0
  }
  assert.deepEqual(second.heard, [])
  dns.set('_sip._udp.closed.example', { SRV: [at('', 0, 0)] })
  await assert.rejects(dial('closed.example'), {
    name: 'MediaError',
    message: 'closed.example says in DNS that it takes no calls over UDP',
  })
  await assert.rejects(dial('absent.example'), { message: 'absent.example has no IPv4 address' })
})

test('a name server that does not answer holds a dial up for some seconds, and no longer', async () => {
  const { dial } = await carriers()
  dns.mute(true)
  try {
    await assert.rejects(dial('silent.example'), { message: 'silent.example has no IPv4 address' })
  } finally {
    dns.mute(false)
  }
})

test('an address that says nothing is left for the next one, and what it says later is taken back', async () => {
  const { near, peers, dial } = await carriers('127.0.2.1', '127.0.2.2')
  const [slow, other] = peers
  assert.ok(slow && other)
  dns.set('_sip._udp.slow.example', {
    SRV: [at('127.0.2.1.example', slow.port, 1), at('127.0.2.2.example', other.port, 2)],
  })
  const calling = dial('slow.example')
  const early = await slow.asked('INVITE')
  const contact = (peer: SipPeer) => [`Contact: <sip:far@${peer.address}:${peer.port}>`]
  other.answer(await other.asked('INVITE'), '200 OK', { body: offerOf(4000), headers: contact(other) })
  const call = await calling
  slow.answer(early, '180 Ringing')
  await slow.asked('CANCEL')
  slow.answer(early, '200 OK', { body: offerOf(5000), headers: contact(slow) })
  await slow.asked('ACK')
  slow.answer(await slow.asked('BYE'), '200 OK')
  assert.equal(call.terms.remotePort, 4000)
  assert.equal(near.server.stats.dialogs, 1)
  // The next dial asks the other first.
  const invitesBefore = invites(slow).length
  other.received.length = 0
  const again = dial('slow.example')
  other.answer(await other.asked('INVITE'), '603 Decline')
  await assert.rejects(again, { status: 603 })
  assert.equal(invites(slow).length, invitesBefore)
})

test('a carrier that asks to be left alone for a while is tried last meanwhile', async () => {
  const { peers, dial } = await carriers('127.0.3.1', '127.0.3.2')
  const [busy, other] = peers
  assert.ok(busy && other)
  dns.set('_sip._udp.busy.example', {
    SRV: [at('127.0.3.1.example', busy.port, 1), at('127.0.3.2.example', other.port, 2)],
  })
  const first = dial('busy.example')
  busy.answer(await busy.asked('INVITE'), '503 Later', { headers: ['Retry-After: 300 (in a moment)'] })
  other.answer(await other.asked('INVITE'), '603 Decline')
  await assert.rejects(first, { status: 603 })
  busy.received.length = 0
  other.received.length = 0
  const second = dial('busy.example')
  other.answer(await other.asked('INVITE'), '503 Later')
  busy.answer(await busy.asked('INVITE'), '404 Not Found')
  await assert.rejects(second, { status: 404 })
})

test('a connection that is not taken is left for the next address, and an old one that is dead is opened anew', async () => {
  const far = await run.answering({ transports: ['tcp'] })
  const near = await run.server({ nameServers: [dns.address] })
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const address = closed.address()
  assert.ok(address && typeof address === 'object')
  await new Promise((resolve) => closed.close(resolve))
  dns.set('here.example', { A: ['127.0.0.1'] })
  dns.set('_sip._tcp.tcp.example', {
    SRV: [at('here.example', address.port, 1), at('here.example', far.server.port, 2)],
  })
  const dial = () => near.server.invite(to, trunk('tcp.example', 'tcp'), from, never)
  const call = await dial()
  await call.bye()
  await far.server.stop()
  const again = await run.answering({ transports: ['tcp'], port: far.server.port })
  const next = await dial()
  await next.bye()
  assert.equal(again.calls.length, 1)
})

const skip = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
  ? false
  : 'needs IPv6 on this machine'

test(
  'a call goes over IPv6 if the host is on it, and each end writes its address in brackets',
  { skip },
  async (t) => {
    const far = createSocket('udp6').bind(0, '::1')
    await once(far, 'listening')
    t.after(() => far.close())
    const heard: string[] = []
    far.on('message', (bytes, { port, address }) => {
      const text = String(bytes)
      if (!text.startsWith('INVITE')) return
      heard.push(text)
      const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line))
      const answer = ['SIP/2.0 404 Not Found', ...kept, 'Content-Length: 0', '', ''].join('\r\n')
      far.send(answer.replace(/^(To: .*)$/m, '$1;tag=x'), port, address)
    })
    const near = await run.server({ host: '::', publicAddress6: '2001:db8::7', nameServers: [dns.address] })
    dns.set('six.example', { AAAA: ['::1'] })
    for (const host of [`[::1]:${far.address().port}`, `six.example:${far.address().port}`]) {
      heard.length = 0
      await assert.rejects(near.server.invite(to, trunk(host), from, never), { status: 404 })
      assert.match(heard[0] ?? '', /\r\nVia: SIP\/2\.0\/UDP \[::1\]:\d+;/)
      assert.match(heard[0] ?? '', /\r\nContact: <sip:\+34600111222@\[::1\]:\d+>/)
      assert.match(heard[0] ?? '', /\r\nFrom: <sip:\+34600111222@\[::1\]>/)
    }
    const four = await run.peer(near.server)
    const calling = near.server.invite(to, trunkTo(four.port), from, never)
    four.answer(await four.asked('INVITE'), '603 Decline')
    await assert.rejects(calling, { status: 603 })
    const only4 = await run.server()
    await assert.rejects(only4.server.invite(to, trunk('[::1]:5060'), from, never), {
      message: '::1 is an IPv6 address, and the worker has none to reach it from',
    })
  },
)
