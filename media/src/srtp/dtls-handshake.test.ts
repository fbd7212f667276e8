import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HandshakeTest, shakeHands, signalledOf } from '../../testing/shaking-hands.ts'
import { callCertificate } from './certificate.ts'

async function shaken(t: { after: (undo: () => void) => void }, asked: HandshakeTest = {}) {
  const hands = shakeHands(asked)
  t.after(hands.end)
  return hands
}

test('both ends of a handshake find the same keys', async (t) => {
  const hands = await shaken(t)
  const [client, server] = await Promise.all([hands.client, hands.server])
  assert.ok(client !== 'failed' && server !== 'failed')
  assert.deepEqual([client.send, client.receive], [server.receive, server.send])
  assert.notEqual(client.send.key, client.receive.key)
  assert.equal(client.send.profile, 'AES_CM_128_HMAC_SHA1_80')
})

test('datagrams that are lost, doubled or late change nothing', async (t) => {
  let sent = 0
  const hands = await shaken(t, {
    carry: (bytes, deliver) => {
      sent += 1
      if (sent % 4 === 1) return
      const kept = Buffer.from(bytes)
      if (sent % 4 === 2) setTimeout(() => deliver(kept), 50)
      else deliver(kept)
      if (sent % 4 === 3) deliver(kept)
    },
  })
  const [client, server] = await Promise.all([hands.client, hands.server])
  assert.ok(client !== 'failed' && server !== 'failed')
  assert.deepEqual([client.send, client.receive], [server.receive, server.send])
})

for (const role of ['client', 'server'] as const) {
  const other = role === 'client' ? 'server' : 'client'
  test(`a ${role} refuses a certificate with another fingerprint than the signalled one`, async (t) => {
    const hands = await shaken(t, { [role]: { expects: signalledOf(callCertificate()) } })
    assert.equal(await hands[role], 'failed')
  })

  test(`a ${role} refuses a far end that shows the right certificate and has not its key`, async (t) => {
    const genuine = callCertificate()
    const stolen = { certificatePem: genuine.certificatePem, keyPem: callCertificate().keyPem }
    const hands = await shaken(t, {
      [role]: { expects: signalledOf(genuine) },
      [other]: { certificate: stolen },
    })
    assert.equal(await hands[role], 'failed')
  })
}

test('bytes that are no handshake, in between and instead, change nothing', async (t) => {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const hands = await shaken(t, {
    carry: (bytes, deliver) => {
      const torn = Buffer.from(bytes)
      // the lengths that a record, a message and its piece say of themselves, and what they are
      for (const at of [0, 3, 11, 12, 13, 14, 16, 19, 22]) {
        const changed: Buffer = Buffer.from(bytes.subarray(0, Math.ceil(random() * bytes.length)))
        if (at < changed.length) changed[at] = Math.floor(random() * 256)
        // a message of a handshake that is changed and whole would be believed, as in every handshake, until its end
        if (at < 11) deliver(changed)
      }
      deliver(Buffer.alloc(0))
      deliver(Buffer.from([22]))
      deliver(Buffer.alloc(13, 22))
      deliver(torn)
    },
  })
  const [client, server] = await Promise.all([hands.client, hands.server])
  assert.ok(client !== 'failed' && server !== 'failed')
})
