import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaError } from '../plane.ts'
import { LocalDescription, readOffer } from './offer.ts'

const described = (...media: string[]) =>
  `${['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0', ...media].join('\r\n')}\r\n`

const plain = described('m=audio 4000 RTP/AVP 8 0 96', 'a=rtpmap:96 telephone-event/8000', 'a=ptime:30')

test('reports share the port for sound if the far end offers it, and its own port for them is read', () => {
  const offered = (more: string) =>
    readOffer(
      `v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n${more}`,
    )
  const ours = new LocalDescription('192.0.2.9', 5000)
  const unsaid = offered('')
  assert.deepEqual([unsaid.terms.rtcpMux, unsaid.terms.remoteRtcpPort], [undefined, undefined])
  assert.doesNotMatch(ours.answer(unsaid), /rtcp/)
  const shared = offered('a=rtcp:4007 IN IP4 203.0.113.5\r\na=rtcp-mux\r\n')
  assert.deepEqual([shared.terms.rtcpMux, shared.terms.remoteRtcpPort], [true, 4007])
  assert.match(ours.answer(shared), /a=rtcp-mux\r\n/)
  assert.match(ours.agreed(shared), /a=rtcp-mux\r\n/)
  assert.equal(offered('a=rtcp:70000\r\n').terms.remoteRtcpPort, undefined)
})

test('the first codec that the far end names is agreed on, with its tones', () => {
  assert.deepEqual(readOffer(plain).terms, {
    remoteAddress: '192.0.2.1',
    remotePort: 4000,
    codec: 'PCMA',
    payloadType: 8,
    tonePayloadType: 96,
    ptimeMs: 20,
  })
  const dynamic = readOffer(
    described('m=audio 4000 RTP/AVP 18 111 0', 'a=rtpmap:111 PCMU/8000', 'a=rtpmap:0 G7/8000'),
  )
  assert.deepEqual([dynamic.terms.codec, dynamic.terms.payloadType], ['PCMU', 111])
  const alone = readOffer(described('m=audio 4000 RTP/AVP 0', 'c=IN IP4 192.0.2.9', 'a=ptime:7'))
  assert.deepEqual(
    [alone.terms.remoteAddress, alone.terms.tonePayloadType, alone.terms.ptimeMs],
    ['192.0.2.9', null, 20],
  )
})

test('a far end that only sends, is inactive or gives no address holds the call', () => {
  for (const [line, isHeld] of [
    ['a=sendrecv', false],
    ['a=recvonly', false],
    ['a=sendonly', true],
    ['a=inactive', true],
    ['c=IN IP4 0.0.0.0', true],
  ] as const)
    assert.equal(readOffer(described('m=audio 4000 RTP/AVP 0', line)).isHeld, isHeld, line)
})

test('an IPv6 address is read as the system writes it, and ours is written as one', () => {
  const six = (address: string) => plain.replaceAll('IP4 192.0.2.1', `IP6 ${address}`)
  assert.equal(readOffer(six('2001:DB8:0:0::0:1')).terms.remoteAddress, '2001:db8::1')
  assert.equal(readOffer(six('::')).isHeld, true)
  const local = new LocalDescription('2001:db8::5', 20_000)
  assert.match(local.answer(local.readOffer(six('2001:db8::1'))), /^c=IN IP6 2001:db8::5\r$/m)
  assert.match(local.offer(), /^o=- \d+ \d+ IN IP6 2001:db8::5\r$/m)
  for (const address of ['ff02::1', 'fe80::1%eth0', '::ffff:192.0.2.1', '2001:db8::g'])
    assert.throws(() => readOffer(six(address)), /no IP address of one machine/, address)
  assert.throws(
    () => local.readOffer(plain),
    new MediaError(
      "the far end's SDP does not fit: its sound is at an IPv4 address, and ours is not: offer an IPv6 address in c=",
    ),
  )
})

test('an answer names every line of the offer, and turns its direction round', () => {
  const offer = readOffer(
    described('m=video 5000 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0 8', 'a=sendonly', 'm=audio 4002 RTP/AVP 0'),
  )
  const answer = new LocalDescription('203.0.113.5', 20_000).answer(offer)
  assert.match(answer, /m=video 0 RTP\/AVP 99\r\nm=audio 20000 RTP\/AVP 0\r\n/)
  assert.match(answer, /m=audio 0 RTP\/AVP 0\r\n/)
  assert.match(answer, /a=recvonly\r\n/)
  assert.match(answer, /c=IN IP4 203\.0\.113\.5\r\n/)
})

test('an answer says how long the packets are that we send', () => {
  const answered = (...lines: string[]) => {
    const offer = readOffer(described('m=audio 4000 RTP/AVP 0', ...lines))
    return /^a=ptime:(\d+)\r$/m.exec(new LocalDescription('203.0.113.5', 20_000).answer(offer))?.[1]
  }
  const ptimes = ['10', '20', '30', '40', '60', '120', 'x'].map((said) => answered(`a=ptime:${said}`))
  assert.deepEqual(ptimes, ['20', '20', '20', '40', '60', '60', '20'])
  assert.equal(answered('a=ptime:60', 'a=maxptime:40'), '40')
  assert.equal(answered(), '20')
})

test('a description has a new version when it says something new', () => {
  const local = new LocalDescription('203.0.113.5', 20_000)
  const version = (text: string) => /^o=- \d+ (\d+)/m.exec(text)?.[1]
  const held = readOffer(plain.replace('a=ptime:30', 'a=sendonly'))
  assert.deepEqual(
    [
      local.answer(readOffer(plain)),
      local.agreed(readOffer(plain)),
      local.answer(held),
      local.answer(held),
    ].map(version),
    ['1', '1', '2', '2'],
  )
})

test('our own offer begins with what carriers have, and holds wider sound and tones', () => {
  const { terms } = readOffer(new LocalDescription('203.0.113.5', 20_000).offer())
  assert.deepEqual([terms.codec, terms.tonePayloadType, terms.remotePort], ['PCMU', 101, 20_000])
})

for (const [why, text] of Object.entries({
  'it is no SDP': 'hello',
  'it has no audio over RTP': described('m=audio 4000 UDP 0'),
  'it takes none of Opus, G.722, PCMU and PCMA': described(
    'm=audio 4000 RTP/AVP 18',
    'a=rtpmap:18 G729/8000',
  ),
  'its address in c= is no IP address of one machine, and no name that has one': described(
    'm=audio 4000 RTP/AVP 0',
  ).replaceAll('IP4 192.0.2.1', 'IP4 phone.example'),
  'its port is no port': described('m=audio 70000 RTP/AVP 0'),
  'it is too long': described('m=audio 4000 RTP/AVP 0', ...Array.from({ length: 600 }, () => 'a=x')),
  'it describes too much': described(...Array.from({ length: 100 }, () => 'm=audio 4000 RTP/AVP 0')),
}))
  test(`SDP is refused in a sentence when ${why}`, () => {
    assert.throws(() => readOffer(text), new MediaError(`the far end's SDP does not fit: ${why}`))
  })

test('SDP is too long by its characters as well as by its lines', () => {
  const long = (chars: number) => described('m=audio 4000 RTP/AVP 0', `a=x:${'y'.repeat(chars)}`)
  assert.equal(readOffer(long(16_000)).terms.remotePort, 4000)
  assert.throws(
    () => readOffer(long(17_000)),
    new MediaError("the far end's SDP does not fit: it is too long"),
  )
})

test('SDP with a multicast address, a port of 0 or nothing at all is refused', () => {
  for (const text of [
    described('m=audio 4000 RTP/AVP 0', 'c=IN IP4 224.2.1.1/127/3'),
    described('m=audio 4000 RTP/AVP 0', 'c=IN IP4 239.1.1.1'),
    described('m=audio 0 RTP/AVP 0'),
    described('m=audio x RTP/AVP 0'),
    described('m=audio 4000 RTP/AVP 0', 'm=nonsense'),
    described('m=audio 4000 RTP/AVP 99', 'a=rtpmap:99 1234/8000'),
    described(),
    '',
  ])
    assert.throws(() => readOffer(text), MediaError)
})
