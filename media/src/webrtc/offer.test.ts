import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { MediaError } from '../plane.ts'
import { answerOffer } from './answer-offer.ts'
import { readOffer, writeOffer } from './offer.ts'

const lines = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0 110 126',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:FYUD',
  'a=ice-pwd:D6QqGFqM7bSopJZ5BfCm7iyv',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:110 telephone-event/48000',
  'a=rtpmap:126 telephone-event/8000',
]
const sdpOf = (all: readonly string[]) => all.map((line) => `${line}\r\n`).join('')
const without = (begin: string) => sdpOf(lines.filter((line) => !line.startsWith(begin)))
const withLine = (line: string) => sdpOf([...lines, line])

test('only what was read of an offer is passed on', () => {
  const read = readOffer(withLine('a=candidate:1 1 udp 1 10.0.0.1 22 typ host'))
  assert.deepEqual(read.tones, { payloadType: 110, clockRate: 48_000 })
  const written = writeOffer(read)
  assert.ok(!written.includes('candidate') && !written.includes('PCMU'))
  assert.deepEqual(readOffer(written), read)
})

test('tones are read at 8000 if a browser has no others, and not at all if it has none', () => {
  assert.deepEqual(readOffer(without('a=rtpmap:110')).tones, { payloadType: 126, clockRate: 8000 })
  assert.equal(readOffer(sdpOf(lines.filter((line) => !line.includes('telephone-event')))).tones, null)
})

const refusals: [string, string, string][] = [
  ['nothing', '', 'it is no SDP'],
  ['words', 'hello', 'it is no SDP'],
  ['bytes', '\u0000'.repeat(1000), 'it is no SDP'],
  ['a flood', 'v=0\r\n'.repeat(10_000), 'it is longer than 32768 characters'],
  ['ten megabytes', `v=0\r\n${'a'.repeat(10_000_000)}`, 'it is longer than 32768 characters'],
  ['thousands of lines', `v=0\n${'m=\n'.repeat(5000)}`, 'it has more than 600 lines'],
  [
    'hundreds of streams',
    `v=0\n${'m=audio 9 x 0\n'.repeat(500)}`,
    'it must hold one stream of sound and nothing else',
  ],
  ['no stream', sdpOf(lines.slice(0, 5)), 'it must hold one stream of sound and nothing else'],
  [
    'a picture too',
    withLine('m=video 9 UDP/TLS/RTP/SAVPF 96'),
    'it must hold one stream of sound and nothing else',
  ],
  [
    'sound that is not encrypted',
    sdpOf(lines.map((line) => line.replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP'))),
    'its one stream must be sound over UDP/TLS/RTP/SAVPF',
  ],
  ['no Opus', without('a=rtpmap:111'), 'it does not offer Opus'],
  ['no mid', without('a=mid'), 'it names no mid'],
  ['no ufrag', without('a=ice-ufrag'), 'it names no ice-ufrag'],
  [
    'a short password',
    sdpOf([...without('a=ice-pwd').trim().split('\r\n'), 'a=ice-pwd:abc']),
    'it names no ice-pwd',
  ],
  ['no fingerprint', without('a=fingerprint'), 'it names no fingerprint by sha-256'],
  [
    'a server',
    sdpOf(lines.map((line) => line.replace('actpass', 'passive'))),
    'it names no setup that lets us answer',
  ],
]

for (const [what, sdp, why] of refusals)
  test(`an offer of ${what} is refused in a sentence`, async () => {
    const refused = new MediaError(`the browser's offer cannot be answered: ${why}`)
    await assert.rejects(answerOffer(sdp), refused)
  })

test('hostile offers take no time and leave nothing behind', async () => {
  const hostile = [
    ...refusals.map(([, sdp]) => sdp),
    ...Array.from({ length: 40 }, (_, seed) => broken(seed)),
  ]
  const spent = process.cpuUsage()
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let answered = 0
  for (let round = 0; round < 50; round += 1)
    for (const sdp of hostile)
      try {
        readOffer(sdp)
        answered += 1
      } catch (error) {
        assert.ok(error instanceof MediaError)
      }
  const { user } = process.cpuUsage(spent)
  assert.ok(answered < 50 * hostile.length)
  assert.ok(user / 1000 / (50 * hostile.length) < 2, 'under 2 ms each')
  assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024)
})

test('an answer names where the machine is reached, and its port is one of those that may be used', async () => {
  const { sdp, leg } = await answerOffer(sdpOf(lines), {
    publicAddress: '203.0.113.7',
    portRange: [40_100, 40_200],
  })
  const candidates = sdp.split('\r\n').filter((line) => line.startsWith('a=candidate:'))
  assert.ok(candidates.some((line) => line.includes(' 203.0.113.7 ')))
  for (const candidate of candidates) {
    const port = Number(candidate.split(' ')[5])
    assert.ok(port >= 40_100 && port <= 40_200, candidate)
  }
  assert.match(sdp, /a=end-of-candidates/)
  await leg.hangUp()
  assert.equal(await leg.ended, 'hangup')
})

test("whatever strangers send to a browser's port harms nothing", async (t) => {
  const { sdp, leg } = await answerOffer(sdpOf(lines))
  const port = Number(/a=candidate:\S+ 1 udp \d+ [\d.]+ (\d+) /.exec(sdp)?.[1])
  const stranger = createSocket('udp4')
  t.after(() => stranger.close())
  const binding = Buffer.from('000100002112a442000000000000000000000000', 'hex')
  for (let at = 0; at < 2000; at += 1) {
    const bytes = at % 3 === 0 ? binding : Buffer.from(broken(at), 'latin1').subarray(0, 1200)
    await new Promise((sent) => stranger.send(bytes, port, '127.0.0.1', sent))
  }
  let isOver = false
  void leg.ended.then(() => (isOver = true))
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  await leg.hangUp()
})

/** The offer with some of its bytes replaced, the same for the same seed. */
function broken(seed: number): string {
  const characters = Array.from(sdpOf(lines))
  let state = seed + 1
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  for (let at = 0; at < 200; at += 1) characters[next(characters.length)] = String.fromCodePoint(next(256))
  return characters.join('')
}
