import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Vault } from './sealing.ts'

const vault = new Vault(randomBytes(32))
const place = 'mailboxes:password:org_1'

test('a sealed value opens at its own place and does not contain the secret (ID-29, I-472)', () => {
  const sealed = vault.seal('hunter2', place)
  assert.equal(vault.open(sealed, place), 'hunter2')
  assert.equal(sealed.includes('hunter2'), false)
})

test('a sealed value copied to another row does not open there (ID-29, I-472, T-94)', () => {
  assert.throws(() => vault.open(vault.seal('hunter2', place), 'mailboxes:password:org_2'))
})

test('every seal draws its own nonce (ID-29, I-472)', () => {
  assert.notDeepEqual(vault.seal('same', place), vault.seal('same', place))
})

test('another key, a flipped bit or a cut value does not open (ID-29, I-472)', () => {
  const sealed = vault.seal('hunter2', place)
  assert.throws(() => new Vault(randomBytes(32)).open(sealed, place))
  for (let at = 0; at < sealed.length; at += 1) {
    const flipped = Buffer.from(sealed)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
    assert.throws(() => vault.open(flipped, place))
    assert.throws(() => vault.open(sealed.subarray(0, at), place))
  }
})

/** As values were sealed before they named their key. */
function sealedOnce(key: Buffer, secret: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

test('a value names the key that it is sealed under, and one of a time before that opens too', () => {
  const [key, older] = [randomBytes(32), randomBytes(32)]
  const before = new Vault(older)
  const both = new Vault(key, older)
  for (const sealed of [before.seal('hunter2', place), sealedOnce(older, 'hunter2')]) {
    assert.equal(both.open(sealed, place), 'hunter2')
    assert.equal(both.keyIdOf(sealed, place), before.keyIds[0])
    assert.throws(() => new Vault(key).open(sealed, place))
  }
  const fresh = both.seal('hunter2', place)
  assert.deepEqual(fresh.subarray(0, both.header.length), both.header)
  assert.deepEqual([both.keyIdOf(fresh, place), both.keyIds[1]], [both.keyIds[0], before.keyIds[0]])
  assert.equal(new Vault(key).open(fresh, place), 'hunter2')
  assert.throws(() => before.open(fresh, place))
  assert.equal(fresh.includes(key.subarray(0, 8)), false)
})

test('a value of the time before whose nonce looks like a header still opens', () => {
  const key = randomBytes(32)
  const own = new Vault(key)
  const nonce = Buffer.concat([own.header, randomBytes(3)])
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update('hunter2', 'utf8'), cipher.final()])
  assert.equal(own.open(Buffer.concat([nonce, cipher.getAuthTag(), sealed]), place), 'hunter2')
})

test('what is kept of a code is known under both keys while there are two', () => {
  const [key, older] = [randomBytes(32), randomBytes(32)]
  const mac = new Vault(older).mac('123456', place)
  const both = new Vault(key, older)
  assert.deepEqual([both.isMac(mac, '123456', place), both.isMac(mac, '123457', place)], [true, false])
  assert.equal(both.isMac(both.mac('123456', place), '123456', place), true)
  assert.equal(new Vault(key).isMac(mac, '123456', place), false)
})
