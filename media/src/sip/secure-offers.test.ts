import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { never, openFence, trunkTo } from '../../testing/sip-peer.ts'
import type { Encryption } from '../srtp/media-security.ts'
import { header } from './message.ts'
import { LocalDescription, readOffer } from './offer.ts'

const run = new SipTest()
afterEach(() => run.stop())

const key = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'
const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:32`
const print = `a=fingerprint:SHA-256 ${Array.from({ length: 32 }, () => 'Ab').join(':')}`
const described = (protocol: string, ...lines: string[]) =>
  `${['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio 4000 ${protocol} 0`, ...lines].join('\r\n')}\r\n`

const clearOnly =
  'its sound is not encrypted, and encryption is required for this trunk: offer RTP/SAVP with a=crypto, or DTLS-SRTP'
const encryptedOnly =
  'its sound is encrypted, and encryption is off for this trunk: offer RTP/AVP, or set encryption to offered'
const noKey =
  'it has no key for its encrypted sound: offer a=crypto with AES_CM_128_HMAC_SHA1_80, or a=fingerprint with SHA-256'

for (const [encryption, offer, sentence] of [
  ['required', described('RTP/AVP'), clearOnly],
  ['off', described('RTP/SAVP', crypto), encryptedOnly],
  [undefined, described('RTP/SAVP'), noKey],
] as const)
  test(`a caller is refused in words: ${sentence}`, async () => {
    const fences = [{ ...openFence, ...(encryption && { encryption }) }]
    const { server, calls } = await run.answering({ fences: () => fences })
    const peer = await run.peer(server)
    peer.request({ method: 'INVITE', to: ours, body: offer })
    const refusal = await peer.status(488)
    assert.equal(header(refusal, 'warning'), `399 switchroom "the far end's SDP does not fit: ${sentence}"`)
    assert.equal(calls.length, 0)
  })

test('a call whose encryption is required is not moved into the clear by its far end', async () => {
  const fences = [{ ...openFence, encryption: 'required' as const }]
  const { server, calls } = await run.answering({ fences: () => fences, timing: { t1Ms: 50 } })
  const peer = await run.peer(server)
  peer.request({ method: 'INVITE', to: ours, body: described('RTP/SAVP', crypto) })
  const to = header(await peer.status(200), 'to') ?? ''
  peer.request({ method: 'ACK', to: ours, headers: { To: to } })
  const call = await calls[0]
  assert.ok(call)
  const before = JSON.stringify(call.terms)
  const changed = { To: to, CSeq: '2 INVITE' }
  peer.request({ method: 'INVITE', to: ours, headers: changed, body: described('RTP/AVP') })
  await peer.status(488)
  assert.equal(JSON.stringify(call.terms), before)
})

test('an answer in the clear to a call whose encryption is required ends the call', async () => {
  const near = await run.server()
  const peer = await run.peer(near.server)
  const trunk = { ...trunkTo(peer.port), encryption: 'required' as const }
  const dialled = near.server.invite('+34911222333', trunk, '+34600111222', never)
  const invite = await peer.asked('INVITE')
  assert.match(invite.body, /m=audio \d+ RTP\/SAVP /)
  peer.isObliging = true
  peer.answer(invite, '200 OK', { body: described('RTP/AVP') })
  await assert.rejects(dialled, /488/)
  await peer.asked('BYE')
})

test('an offer that is not acceptable is made in the next form, to the last', async () => {
  const near = await run.server()
  const peer = await run.peer(near.server)
  const trunk = { ...trunkTo(peer.port), encryption: 'offered' as const }
  const dialled = near.server.invite('+34911222333', trunk, '+34600111222', never)
  const forms: (string | undefined)[] = []
  for (let tried = 1; tried <= 3; tried++) {
    const invite = await peer.find(
      (message) => 'method' in message && message.method === 'INVITE' && message.cseq.number === tried,
    )
    assert.ok('method' in invite)
    forms.push(/m=audio \d+ (\S+)/.exec(invite.body)?.[1])
    peer.answer(invite, '488 Not Acceptable Here')
  }
  await assert.rejects(dialled, /488/)
  assert.deepEqual(forms, ['RTP/AVP', 'RTP/SAVP', 'UDP/TLS/RTP/SAVP'])
})

const securityOf = (text: string, encryption?: Encryption) => readOffer(text, encryption).security

test('of the lines for sound the first with encryption is taken where it is wanted, else the first', () => {
  const both = described('RTP/AVP').replace(/$/, `m=audio 4002 RTP/SAVP 0\r\n${crypto}\r\n`)
  assert.deepEqual(
    ([undefined, 'off', 'offered', 'required'] as const).map((wanted) => readOffer(both, wanted).place),
    [0, 0, 1, 1],
  )
})

test('a key of a line that may be in the clear counts where encryption is wanted', () => {
  const offer = described('RTP/AVP', crypto)
  assert.deepEqual(
    ([undefined, 'off', 'offered', 'required'] as const).map((wanted) => securityOf(offer, wanted)?.kind),
    [undefined, undefined, 'sdes', 'sdes'],
  )
})

test('an answer takes the first key that fits, with one of our own for it, and another for another', () => {
  const local = new LocalDescription('127.0.0.1', 20_000)
  const unknown = 'a=crypto:3 F8_128_HMAC_SHA1_80 inline:x'
  const keyIn = (text: string) => /a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:(\S+)/.exec(text)?.[1]
  const offer = described('RTP/SAVP', unknown, crypto)
  const first = local.answer(local.readOffer(offer))
  assert.match(first, /m=audio 20000 RTP\/SAVP 0\r\n/)
  assert.ok(keyIn(first) && keyIn(first) !== key)
  assert.equal(keyIn(local.answer(local.readOffer(offer))), keyIn(first))
  const fresh = offer.replace(key, key.replace('d0', 'd1'))
  assert.notEqual(keyIn(local.answer(local.readOffer(fresh))), keyIn(first))
})

test('the end of a handshake that begins is the one that the far end is not', () => {
  for (const [said, answered, role] of [
    ['active', 'passive', 'server'],
    ['passive', 'active', 'client'],
    ['actpass', 'passive', 'server'],
  ] as const) {
    const local = new LocalDescription('127.0.0.1', 20_000)
    const offer = local.readOffer(described('UDP/TLS/RTP/SAVPF', print, `a=setup:${said}`))
    assert.match(local.answer(offer), new RegExp(`a=setup:${answered}\r\n`))
    assert.match(local.answer(offer), /a=fingerprint:sha-256 [\dA-F:]{95}\r\n/)
    const security = local.securityWith(offer)
    assert.equal(security?.kind === 'dtls' && security.role, role)
  }
})

test('an answer with a key that was not offered, or with a handshake that was not, is no encryption', () => {
  const local = new LocalDescription('127.0.0.1', 20_000, 'required')
  local.offer()
  assert.throws(() => local.readAnswer(described('RTP/SAVP', crypto.replace(':1 ', ':9 '))), /no key/)
  assert.equal(local.readAnswer(described('RTP/SAVP', crypto)).security?.kind, 'sdes')
  local.agreed(local.readAnswer(described('RTP/SAVP', crypto)))
  assert.throws(() => local.readAnswer(described('RTP/SAVP', print, 'a=setup:active')), /no key/)
})

const hostile = {
  'no key': 'a=crypto:1 AES_CM_128_HMAC_SHA1_80',
  'an empty key': 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:',
  'a short key': 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA',
  'a long key': `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(8_000)}`,
  'a key of another suite': `a=crypto:1 AEAD_AES_128_GCM inline:${key}`,
  'a key that is no base64': `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'*'.repeat(40)}`,
  'two keys': `${crypto};inline:${key}|2^20|2:32`,
  'a key that is elsewhere': 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 uri:https://example.org/key',
  'a suite that is a name of every object': `a=crypto:1 constructor inline:${key}`,
  'a suite of the prototype': `a=crypto:1 __proto__ inline:${key}`,
  'a tag that is none': `a=crypto:x AES_CM_128_HMAC_SHA1_80 inline:${key}`,
  'a tag without end': `a=crypto:${'9'.repeat(400)} AES_CM_128_HMAC_SHA1_80 inline:${key}`,
  'a name of its key without length': `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:0`,
  'a name of its key that is too long': `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:999`,
  'sound in the clear': `${crypto} UNENCRYPTED_SRTP`,
  'reports in the clear, said last': `${crypto} WSH=64 UNENCRYPTED_SRTCP`,
  'no proof of its packets': `${crypto} UNAUTHENTICATED_SRTP`,
  'keys that change by themselves': `${crypto} KDR=1`,
  'a fingerprint without a value': 'a=fingerprint:sha-256',
  'a short fingerprint': 'a=fingerprint:sha-256 AB:CD',
  'a fingerprint by a broken hash': `a=fingerprint:md5 ${Array.from({ length: 16 }, () => 'AB').join(':')}`,
  'a fingerprint that is no number': print.replaceAll('Ab', 'zz'),
  'a handshake that nobody begins': `${print}\r\na=setup:holdconn`,
  'a thousand lines': Array.from({ length: 400 }, () => 'a=crypto:1 A b').join('\r\n'),
}

for (const [what, lines] of Object.entries(hostile))
  test(`an encrypted line with ${what} is refused`, () => {
    for (const protocol of ['RTP/SAVP', 'UDP/TLS/RTP/SAVP'])
      assert.throws(() => readOffer(described(protocol, lines)), /it has no key for its encrypted sound/)
    assert.equal(securityOf(described('RTP/AVP', lines), 'offered'), null)
  })
