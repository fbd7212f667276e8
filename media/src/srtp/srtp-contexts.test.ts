import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SrtcpSession, SrtpSession } from 'werift'
import { isProfile, keyBytesOf, type ProfileName, profiles } from './profiles.ts'
import { sessionKeys } from './session-keys.ts'
import { type MasterKey, SrtpReceiver, SrtpSender } from './srtp-contexts.ts'

const names = Object.keys(profiles).filter(isProfile)
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const newKey = (profile: ProfileName): MasterKey => ({
  profile,
  key: randomBytes(keyBytesOf(profile)).toString('base64'),
})

function rtp(sequence: number, ssrc = 0xcafebabe, payload = Buffer.alloc(160, 0xab)): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt32BE(0x800f0000 + sequence)
  header.writeUInt32BE(0xdecafbad, 4)
  header.writeUInt32BE(ssrc, 8)
  return Buffer.concat([header, payload])
}

const report = (payload = Buffer.alloc(20, 1)) => Buffer.concat([hex('81c8000b cafebabe'), payload])

test('session keys are those of RFC 3711 B.3', () => {
  const master = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6')
  const { key, salt, authKey } = sessionKeys('AES_CM_128_HMAC_SHA1_80', master, 'rtp')
  assert.deepEqual(key.export(), hex('C61E7A93744F39EE10734AFE3FF7A087'))
  assert.deepEqual(salt, hex('30CBBC08863D8C85D49DB34A9AE1'))
  assert.deepEqual(authKey.export(), hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'))
})

for (const [profile, key, sound, control] of [
  [
    'AES_CM_128_HMAC_SHA1_80',
    'e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6',
    '4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb',
    '7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798',
  ],
  [
    'AEAD_AES_128_GCM',
    '000102030405060708090a0b0c0d0e0fa0a1a2a3a4a5a6a7a8a9aaab',
    'c5002ede04cfdd2eb91159e0880aa06e d2976826f796b201df3131a127e8a392',
    'c98b8b5df0392a55852b6c21ac8e7025 c52c6fbea2b3b446ea31123ba88ce61e 80000001',
  ],
] as const)
  test(`${profile} makes the packets of libsrtp's test vectors`, () => {
    const sender = new SrtpSender({ profile, key: hex(key).toString('base64') })
    const payload = Buffer.alloc(16, 0xab)
    assert.deepEqual(sender.seal(rtp(0x1234, 0xcafebabe, payload)), hex(`800f1234decafbadcafebabe${sound}`))
    assert.deepEqual(sender.seal(report(payload)), hex(`81c8000bcafebabe${control}`))
  })

for (const [profile, id] of [
  ['AES_CM_128_HMAC_SHA1_80', 1],
  ['AEAD_AES_128_GCM', 7],
] as const)
  test(`${profile} is read by another implementation, and reads what that one wrote`, () => {
    const [ours, theirs] = [newKey(profile), newKey(profile)]
    const { keyBytes } = profiles[profile]
    const [local, remote] = [theirs, ours].map(({ key }) => Buffer.from(key, 'base64'))
    assert.ok(local && remote)
    const config = {
      keys: {
        localMasterKey: local.subarray(0, keyBytes),
        localMasterSalt: local.subarray(keyBytes),
        remoteMasterKey: remote.subarray(0, keyBytes),
        remoteMasterSalt: remote.subarray(keyBytes),
      },
      profile: id,
    }
    const [sound, control] = [new SrtpSession(config), new SrtcpSession(config)]
    const [sender, receiver] = [new SrtpSender(ours), new SrtpReceiver(theirs)]
    for (const sequence of [65_534, 65_535, 0, 1]) {
      const sealed = sender.seal(rtp(sequence))
      assert.ok(sealed)
      assert.deepEqual(sound.decrypt(sealed), rtp(sequence))
    }
    const sealed = sender.seal(report())
    assert.ok(sealed)
    assert.deepEqual(control.decrypt(sealed), report())
    assert.deepEqual(receiver.open(control.encrypt(report())), report())
  })

for (const profile of names)
  test(`${profile}: what was sealed is opened once, and never after a bit was changed or under another key`, () => {
    const key = newKey(profile)
    const [sender, receiver, stranger] = [
      new SrtpSender(key),
      new SrtpReceiver(key),
      new SrtpReceiver(newKey(profile)),
    ]
    for (const plain of [rtp(7), report()]) {
      const sealed = sender.seal(plain)
      assert.ok(sealed)
      assert.ok(!sealed.includes(plain.subarray(-20)))
      for (let bit = 0; bit < sealed.length * 8; bit += 3) {
        const changed: Buffer = Buffer.from(sealed)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.equal(receiver.open(changed), undefined)
      }
      for (let length = 0; length < sealed.length; length++)
        assert.equal(receiver.open(sealed.subarray(0, length)), undefined)
      assert.equal(stranger.open(sealed), undefined)
      assert.equal(receiver.open(plain), undefined)
      assert.deepEqual(receiver.open(sealed), plain)
      assert.equal(receiver.open(sealed), undefined)
    }
  })

test('sequence numbers begin anew any number of times, with loss and disorder around it', () => {
  const key = newKey('AES_CM_128_HMAC_SHA1_32')
  const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)]
  const opened: boolean[] = []
  for (let index = 65_000; index < 4 * 65_536; index += 797) {
    const [early, late] = [sender.seal(rtp(index & 0xffff)), sender.seal(rtp((index + 5) & 0xffff))]
    assert.ok(early && late)
    opened.push(receiver.open(late) !== undefined, receiver.open(early) !== undefined)
  }
  assert.ok(opened.every(Boolean))
})

test('a stream whose first packets were lost before its numbers began anew is heard', () => {
  const key = newKey('AEAD_AES_256_GCM')
  const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)]
  sender.seal(rtp(65_535))
  const sealed = sender.seal(rtp(3))
  assert.ok(sealed)
  assert.deepEqual(receiver.open(sealed), rtp(3))
})

test('another source under the same key is heard from its first packet on, and its packets once', () => {
  const key = newKey('AES_CM_128_HMAC_SHA1_80')
  const receiver = new SrtpReceiver(key)
  for (let source = 1; source <= 20; source++) {
    const sealed = new SrtpSender(key).seal(rtp(40_000 + source, source))
    assert.ok(sealed)
    assert.deepEqual([receiver.open(sealed)?.length, receiver.open(sealed)], [172, undefined])
  }
})

test('each source that a sender has counts by itself', () => {
  const key = newKey('AES_CM_128_HMAC_SHA1_80')
  const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)]
  for (const packet of [rtp(65_535, 1), rtp(40_000, 2), rtp(0, 1), rtp(40_001, 2), rtp(1, 1)])
    assert.deepEqual(receiver.open(sender.seal(packet) ?? packet), packet)
})

test('a packet that names its key is opened without the name', () => {
  const key = newKey('AES_CM_128_HMAC_SHA1_80')
  const receiver = new SrtpReceiver({ ...key, mkiBytes: 4 })
  const sealed = new SrtpSender(key).seal(rtp(9))
  assert.ok(sealed)
  const named = Buffer.concat([sealed.subarray(0, -10), hex('00000001'), sealed.subarray(-10)])
  assert.deepEqual(receiver.open(named), rtp(9))
})
