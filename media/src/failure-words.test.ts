import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { generate } from 'selfsigned'
import { plainLine, sentenceOfSip, wordsOfConnecting, wordsOfRefer, wordsOfSip } from './failure-words.ts'
import { outcomeOfSip, refusedBySip } from './plane.ts'

test('every final answer of a far end has words, and those that people meet most are plain', () => {
  for (let status = 300; status < 700; status += 1) {
    assert.match(wordsOfSip(status), /^[a-z][a-zA-Z ]+$/)
    assert.match(wordsOfRefer(status), /^[a-z][a-zA-Z ]+$/)
  }
  assert.deepEqual([486, 600, 603, 404, 401, 407, 480].map(wordsOfSip), [
    'busy',
    'busy',
    'declined',
    'the number was not found at the carrier',
    'the carrier wants other credentials',
    'the carrier wants other credentials',
    'the phone cannot be reached now',
  ])
})

test('603 is told as declined, and ends the call as the documents say (ND-59)', () => {
  assert.equal(outcomeOfSip(603), 'busy')
  assert.deepEqual(refusedBySip(603, 'Decline'), {
    outcome: 'busy',
    sip_status: 603,
    sip_reason: 'Decline',
    why: 'declined (603 Decline)',
  })
})

test('what a carrier writes is one short line, whatever it is', () => {
  assert.equal(sentenceOfSip(486, ''), 'busy (486)')
  assert.equal(sentenceOfSip(799, 'Odd'), 'the call failed (799 Odd)')
  assert.equal(plainLine(' a\r\n\u0000\u2028b '), 'a b')
  assert.equal(plainLine('é'.repeat(300)).length, 200)
  assert.equal(plainLine('😀'.repeat(300)), '😀'.repeat(200))
})

test('a connection that fails says why: no one listens, the certificate does not match, or nobody vouches for it', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'sip.example' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'sip.example' }] }],
  })
  const door = createServer({ key, cert }, (secure) => secure.on('error', () => {}))
  await once(door.listen(0, '127.0.0.1'), 'listening')
  const address = door.address()
  assert.ok(address && typeof address === 'object')
  const { port } = address
  const failed = async (more: object): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, ...more })
    const [error]: unknown[] = await once(socket, 'error')
    return wordsOfConnecting('other.example', error)
  }
  assert.equal(
    await failed({ ca: cert, servername: 'other.example' }),
    'the certificate of other.example does not match its name',
  )
  assert.equal(
    await failed({ servername: 'sip.example' }),
    'the certificate of other.example is not signed by a CA that is trusted: add it to the account',
  )
  door.close()
  await once(door, 'close')
  const [refused]: unknown[] = await once(connectPlain(port, '127.0.0.1'), 'error')
  assert.equal(wordsOfConnecting('sip.example', refused), 'sip.example takes no connections')
  const late = AbortSignal.timeout(0)
  await once(late, 'abort')
  assert.equal(wordsOfConnecting('sip.example', late.reason), 'sip.example did not answer in time')
  assert.equal(wordsOfConnecting('sip.example', 'odd'), 'sip.example cannot be reached')
})
