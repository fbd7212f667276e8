import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { signatureOf } from '../../../testing/messaging/platform-deliveries.ts'
import { isSignedBy, signatureIn } from './signature.ts'

const secret = 'the app’s secret'
const bytes = Buffer.from('{ "a":  "caf\\u00e9" }\n')
const isSigned = (body: Buffer, header: string) => {
  const signature = signatureIn(header)
  return signature !== undefined && isSignedBy(secret, body, signature)
}

test('what the published key and words give is the signature (N-325)', () => {
  // RFC 4231, test case 2.
  const header = 'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  const signature = signatureIn(header)
  assert.ok(signature && isSignedBy('Jefe', Buffer.from('what do ya want for nothing?'), signature))
})

test('one flipped bit anywhere in the body or the signature breaks it (N-337, N-339)', () => {
  const header = signatureOf(secret, bytes)
  assert.ok(isSigned(bytes, header))
  for (let bit = 0; bit < bytes.length * 8; bit += 1)
    assert.equal(isSigned(withFlipped(bytes, bit), header), false, `bit ${bit} of the body`)
  const hex = Buffer.from(header.slice('sha256='.length), 'hex')
  for (let bit = 0; bit < hex.length * 8; bit += 1)
    assert.equal(
      isSigned(bytes, `sha256=${withFlipped(hex, bit).toString('hex')}`),
      false,
      `bit ${bit} of it`,
    )
})

function withFlipped(original: Buffer, bit: number): Buffer {
  const copy = Buffer.from(original)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

test('a body that was read and written anew is another (N-337, T-56)', () => {
  const anew = Buffer.from(JSON.stringify(JSON.parse(bytes.toString())))
  assert.equal(isSigned(anew, signatureOf(secret, bytes)), false)
  assert.ok(isSigned(bytes, signatureOf(secret, bytes)))
})

test('the hex is compared without case, and nothing may surround it (N-325, ND-72)', () => {
  const header = signatureOf(secret, bytes)
  const hex = header.slice('sha256='.length)
  assert.ok(isSigned(bytes, `sha256=${hex.toUpperCase()}`))
  for (const other of [
    '',
    hex,
    'sha256=',
    `SHA256=${hex}`,
    `sha1=${hex.slice(0, 40)}`,
    `sha256=${hex.slice(1)}`,
    `sha256=${hex}0`,
    `sha256= ${hex}`,
    `sha256=${'z'.repeat(64)}`,
    `${header}, ${header}`,
    `${header},`,
    `sha256=${randomBytes(32).toString('base64')}`,
  ])
    assert.equal(signatureIn(other), undefined, other)
  assert.equal(signatureIn(undefined), undefined)
  assert.equal(signatureIn([header]), undefined)
})
