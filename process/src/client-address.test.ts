import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf, network } from './setting-parsing.ts'
import { clientAddress, connectionAddress } from './client-address.ts'

const proxies = listOf(network)('10.0.0.0/8, 192.0.2.7, fd00::/8')

test('from an untrusted peer the header is ignored (ID-43, T-10)', () => {
  assert.equal(clientAddress('203.0.113.9', '1.2.3.4', proxies), '203.0.113.9')
  assert.equal(clientAddress('203.0.113.9', '1.2.3.4', []), '203.0.113.9')
})

test('behind a trusted proxy the client address is the right-most address that is not ours (I-229, ID-43, T-10)', () => {
  assert.equal(clientAddress('10.1.1.1', '6.6.6.6, 203.0.113.9', proxies), '203.0.113.9')
  assert.equal(
    clientAddress('10.1.1.1', 'junk, 6.6.6.6, 203.0.113.9, 10.2.2.2 , 192.0.2.7', proxies),
    '203.0.113.9',
  )
  assert.equal(clientAddress('fd00::1', '203.0.113.9', proxies), '203.0.113.9')
})

test('with the header absent, malformed or all ours the client address is the peer (ID-43)', () => {
  for (const header of [undefined, '', 'unknown', '203.0.113.9, nonsense', '10.2.2.2, 10.3.3.3'])
    assert.equal(clientAddress('10.1.1.1', header, proxies), '10.1.1.1')
})

test('an IPv4-mapped address counts as IPv4, and an IPv6 client address is its /64 (ID-43)', () => {
  assert.equal(clientAddress('::ffff:203.0.113.9', undefined, []), '203.0.113.9')
  assert.equal(clientAddress('::ffff:10.1.1.1', '203.0.113.9', proxies), '203.0.113.9')
  assert.equal(clientAddress('2001:db8:1:2:3:4:5:6', undefined, []), '2001:db8:1:2::/64')
  assert.equal(clientAddress('2001:db8:1:2:ffff::1', undefined, []), '2001:db8:1:2::/64')
})

test('a connection is counted for its IPv4 address or its IPv6 /64, and not at all from a trusted proxy', () => {
  const peers = ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1:2::5', '2001:0db8:1:2:3:4:5:6', '::1']
  assert.deepEqual(
    peers.map((peer) => connectionAddress(peer, proxies)),
    ['203.0.113.9', '203.0.113.9', '2001:db8:1:2::/64', '2001:db8:1:2::/64', '::/64'],
  )
  assert.equal(connectionAddress('::ffff:10.1.1.1', proxies), undefined)
})
