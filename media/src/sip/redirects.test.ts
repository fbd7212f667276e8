import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, type SipPeer, trunkTo } from '../../testing/sip-peer.ts'
import { SipRefused } from './calls.ts'
import { header, isRequest } from './message.ts'
import { parseMessage } from './parser.ts'
import { Redirects } from './redirects.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

async function redirected(mayDial = (address: string) => address.startsWith('127.'), timing = {}) {
  const near = await run.server({ mayDial, timing })
  const [first, second] = [await run.peer(near.server), await run.peer(near.server, '127.0.0.2')]
  const calling = near.server.invite(to, trunkTo(first.port), from, never)
  calling.catch(() => {})
  const send = async (...contacts: string[]) =>
    first.answer(await first.asked('INVITE'), '302 Moved', {
      headers: contacts.map((uri) => `Contact: ${uri}`),
    })
  return { near, first, second, calling, send }
}

const place = (peer: SipPeer) => `${peer.address}:${peer.port}`

test('a redirect to another host is followed for the number that was dialled, the best contact first', async () => {
  const { near, second, calling, send } = await redirected()
  await send(
    '<sip:+34911222333@127.0.0.9:9>;q=0.1',
    `<sip:0034911222333@${place(second)};token=7?Subject=x>;q=0.9`,
  )
  const invite = await second.asked('INVITE')
  assert.equal(invite.uri, `sip:0034911222333@${place(second)};token=7`)
  assert.match(header(invite, 'to') ?? '', /^<sip:\+34911222333@127\.0\.0\.1:\d+>$/)
  second.answer(invite, '200 OK', { body: offerOf(4000), headers: [`Contact: <sip:x@${place(second)}>`] })
  const call = await calling
  assert.equal(call.terms.remotePort, 4000)
  void call.bye()
  second.answer(await second.asked('BYE'), '200 OK')
  await call.ended
  assert.equal(near.ports.size, 0)
})

test('a proxy that is to be used is asked for the address that was dialled', async () => {
  const { near, first, second, calling } = await redirected()
  const asked = await first.asked('INVITE')
  first.answer(asked, '305 Use Proxy', { headers: [`Contact: <sip:${place(second)};lr>`] })
  const invite = await second.asked('INVITE')
  assert.equal(invite.uri, asked.uri)
  second.answer(invite, '486 Busy Here')
  await assert.rejects(calling, { status: 486 })
  assert.equal(near.ports.size, 0)
})

test('a redirect to another number is not followed, and the dial says which', async () => {
  const { second, calling, send } = await redirected()
  await send(`<sip:+447700900123@${place(second)}>`)
  await assert.rejects(calling, {
    status: 302,
    message:
      /the carrier sends the call on to \+447700900123, which is not the number that was dialled: dial that number itself/,
  })
  await second.caughtUp()
  assert.deepEqual(second.heard, [])
})

test('a redirect to an address that may not be dialled is not followed', async () => {
  const { second, calling, send } = await redirected((address) => address === '127.0.0.1')
  await send(`<sip:+34911222333@${place(second)}>`)
  await assert.rejects(calling, { message: '127.0.0.2 is at an address that may not be dialled' })
  await second.caughtUp()
  assert.deepEqual(second.heard, [])
})

test('redirects in a circle, to too many places or to none are not followed', async () => {
  const { first, second, calling, send } = await redirected()
  await send(`<sip:+34911222333@${place(second)}>`)
  second.answer(await second.asked('INVITE'), '302 Moved', {
    headers: [`Contact: <sip:${to}@${place(first)}>`],
  })
  await assert.rejects(calling, { status: 302, message: /the carrier sends the call on in a circle/ })

  const nowhere = await redirected()
  await nowhere.send('<tel:+34911222333>', '<mailto:x@example.com>')
  await assert.rejects(nowhere.calling, { status: 302 })

  const asked: string[] = []
  const many = await redirected((address) => asked.push(address) > 0, { t1Ms: 20 })
  await many.send(...Array.from({ length: 40 }, (_, n) => `<sip:${to}@127.0.0.3:${n + 1}>`))
  await assert.rejects(many.calling, { status: 408 })
  assert.equal(asked.length, 6)
})

test('a redirect never leaves TLS', () => {
  const text = [
    'SIP/2.0 302 Moved',
    'Via: SIP/2.0/TLS 127.0.0.1;branch=z9hG4bK1',
    'From: <sip:a@b>;tag=1',
    'To: <sip:a@b>;tag=2',
    'Call-ID: x',
    'CSeq: 1 INVITE',
    'Contact: <sip:+34911222333@a.example;transport=udp>, <sip:+34911222333@b.example>',
    'Contact: <sips:+34911222333@c.example>',
  ]
  const trunk = { ...trunkTo(0, 'tls'), hostname: 'sip.example' }
  const first = {
    uri: `sip:${to}@sip.example`,
    place: { host: 'sip.example', port: null, transport: 'tls' as const },
  }
  const read = (lines: string[]) => {
    const response = parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`))
    assert.ok(!isRequest(response))
    return new Redirects(first, { to, trunk }).read(response, first)
  }
  const hops = read(text)
  assert.ok(Array.isArray(hops))
  assert.deepEqual(
    hops.map(({ place: { host, transport } }) => [host, transport]),
    [
      ['b.example', 'tls'],
      ['c.example', 'tls'],
    ],
  )
  const refused = read(text.slice(0, -1).map((line) => line.replace(/, <.*/, '')))
  assert.ok(refused instanceof SipRefused)
  assert.match(
    refused.message,
    /the carrier sends the call on from TLS to UDP, where it would not be encrypted/,
  )
})
