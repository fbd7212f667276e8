import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { later } from '../../foundation/clock.ts'
import { Vault } from '../../foundation/sealing.ts'
import { signedHeaders } from './signature.ts'
import { SigningSecrets } from './signing-secrets.ts'

const now = new Date()
const nowS = Math.floor(now.getTime() / 1000)
const body = '{"type":"call.ended","text":"¿Qué tal? 👋"}'
const verifies = (secret: string, headers: Record<string, string>) => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

test('the library of Standard Webhooks accepts a signature, and none of another secret, body or id', () => {
  const secrets = SigningSecrets.made()
  const headers = signedHeaders(secrets.at(now), 'evt_1', nowS, body)
  assert.ok(verifies(secrets.newest, headers))
  assert.ok(!verifies(SigningSecrets.made().newest, headers))
  assert.ok(!verifies(secrets.newest, { ...headers, 'webhook-id': 'evt_2' }))
  assert.ok(!verifies(secrets.newest, { ...headers, 'webhook-timestamp': String(nowS + 1) }))
  assert.match(secrets.newest, /^whsec_[A-Za-z0-9+/]{43}=$/)
})

test('during a rotation every secret that still lives signs, three at most, and none lives longer than it did', () => {
  const first = SigningSecrets.made()
  const second = first.rotated(now, 60_000)
  assert.equal(second.olderUntil(now), later(now, 60_000).toISOString())
  const headers = signedHeaders(second.at(now), 'evt_1', nowS, body)
  assert.ok(verifies(first.newest, headers) && verifies(second.newest, headers))

  const third = second.rotated(now, 3_600_000)
  assert.deepEqual(third.at(later(now, 59_000)), [third.newest, second.newest, first.newest])
  assert.deepEqual(third.at(later(now, 61_000)), [third.newest, second.newest])
  const fourth = third.rotated(now, 3_600_000)
  assert.deepEqual(fourth.at(now), [fourth.newest, third.newest, second.newest])
  const alone = fourth.rotated(now, 0)
  assert.deepEqual([alone.at(now), alone.olderUntil(now)], [[alone.newest], null])
})

test('secrets are opened only for the endpoint that they were sealed for', () => {
  const vault = new Vault(Buffer.alloc(32, 1))
  const secrets = SigningSecrets.made()
  const sealed = secrets.sealed(vault, 'whk_1')
  assert.equal(SigningSecrets.opened(vault, 'whk_1', sealed).newest, secrets.newest)
  assert.ok(!sealed.toString('latin1').includes('whsec_'))
  assert.throws(() => SigningSecrets.opened(vault, 'whk_2', sealed))
})
