import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRtcp, middleOf, readRtcp, type Report, writeRtcp } from './rtcp-packet.ts'

const report: Report = {
  ssrc: 0xdeadbeef,
  sender: { ntp: [0xe1234567, 0x89abcdef], timestamp: 160_000, packets: 1000, octets: 160_000 },
  blocks: [
    {
      ssrc: 7,
      fractionLost: 0.25,
      lost: -3,
      highest: 0x1ffff,
      jitter: 42,
      lastReport: 0x4567_89ab,
      delay: 65_536,
    },
  ],
}

test('a report is read as it was written, with the name and the goodbye behind it', () => {
  for (const isLast of [false, true]) {
    const bytes = writeRtcp(report, 'name', isLast)
    assert.ok(isRtcp(bytes))
    assert.deepEqual(readRtcp(bytes), [report])
    const types = [...packetsIn(bytes)].map((packet) => packet[1])
    assert.deepEqual(types, isLast ? [200, 202, 203] : [200, 202])
  }
  const heard: Report = { ssrc: 9, sender: null, blocks: [] }
  assert.deepEqual(readRtcp(writeRtcp(heard, 'another name', false)), [heard])
  assert.equal(middleOf([0xe1234567, 0x89abcdef]), 0x4567_89ab)
})

test('a name is ended by a zero and filled up to 32 bits, however long it is (RFC 3550 6.5)', () => {
  for (let length = 0; length < 9; length += 1) {
    const [, name = Buffer.alloc(0)] = packetsIn(
      writeRtcp({ ...report, blocks: [] }, 'x'.repeat(length), false),
    )
    assert.equal(name.length % 4, 0)
    assert.equal(name.at(-1), 0)
    assert.equal(name.subarray(8, 10).toString('hex'), `01${length.toString(16).padStart(2, '0')}`)
  }
})

test('what is no compound packet of whole reports is not read (RFC 3550 A.2)', () => {
  const whole = writeRtcp(report, 'name', true)
  const [sender = Buffer.alloc(0), name = Buffer.alloc(0), goodbye = Buffer.alloc(0)] = packetsIn(whole)
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(whole)
    change(bytes)
    return bytes
  }
  const hostile: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'a name alone': name,
    'a goodbye first': Buffer.concat([goodbye, sender]),
    'cut short': whole.subarray(0, -4),
    'cut within a word': whole.subarray(0, -1),
    'another version': changed((bytes) => (bytes[0] = 0x41)),
    'a second packet of another version': changed((bytes) => (bytes[sender.length] = 0x41)),
    'more blocks than it has': changed((bytes) => (bytes[0] = 0x9f)),
    'longer than it is': changed((bytes) => bytes.writeUInt16BE(0xffff, 2)),
    'shorter than a report': Buffer.from('80c80000', 'hex'),
    'no sender in it': Buffer.from('80c80001deadbeef', 'hex'),
    'padding before the end': changed((bytes) => (bytes[0] = 0xa1)),
    'longer than a datagram': Buffer.concat([whole, Buffer.alloc(1500)]),
  }
  for (const [what, bytes] of Object.entries(hostile)) assert.equal(readRtcp(bytes), undefined, what)
})

test('no bytes make the reader throw', () => {
  const whole = writeRtcp(report, 'name', true)
  for (let at = 0; at < whole.length; at += 1)
    for (const byte of [0, 1, 0x1f, 0x7f, 0x80, 0xc8, 0xff]) {
      const bytes = Buffer.from(whole)
      bytes[at] = byte
      readRtcp(bytes)
      readRtcp(bytes.subarray(0, at))
    }
})

function packetsIn(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 * (bytes.readUInt16BE(at + 2) + 1)
    packets.push(bytes.subarray(at, end))
    at = end
  }
  return packets
}
