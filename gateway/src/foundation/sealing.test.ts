import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Vault } from './sealing.ts'

const vault = new Vault(randomBytes(32))
const place = 'mailboxes:password:org_1'

test('a sealed value opens at its own place and nowhere in it stands the secret (ID-29, I-472)', () => {
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
