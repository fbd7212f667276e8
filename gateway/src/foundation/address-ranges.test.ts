import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublic, isSameAddress, normalHost } from './address-ranges.ts'

const notPublic = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  shared: ['100.64.0.1', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['192.0.0.1', '240.0.0.1', '192.88.99.1', '100::1', '4000::1', 'fec0::1', '2001:10::1'],
  broadcast: ['255.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.7', '2001:db8::1', '3fff::1'],
  benchmark: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'unique local': ['fc00::1', 'fd12:3456::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  'IPv4-compatible': ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8'],
  '6to4': ['2002:7f00:1::1', '2002:a00:1::', '2002:808:808::1'],
  Teredo: ['2001:0:7f00:1::1', '2001::1'],
}

for (const [kind, addresses] of Object.entries(notPublic))
  test(`${kind} addresses are not public (ID-141)`, () => {
    for (const address of addresses) assert.equal(isPublic(address), false, address)
  })

test('addresses that the whole internet routes are public, also mapped and behind NAT64 (ID-141)', () => {
  const routed = ['8.8.8.8', '93.184.216.34', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']
  for (const address of [...routed, '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])
    assert.equal(isPublic(address), true, address)
})

test('a host has one spelling, however it is written (ID-141)', () => {
  const spellings = {
    '127.0.0.1': ['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '127.0.0.1.', '127.0.0.1:25'],
    '::1': ['::1', '[::1]', '0:0:0:0:0:0:0:1', '[::1]:443'],
    '::ffff:7f00:1': ['::ffff:127.0.0.1', '[::FFFF:7F00:1]'],
    'mail.example.com': ['mail.example.com', 'MAIL.Example.Com', 'mail.example.com.', 'mail.example.com:587'],
    localhost: ['localhost', 'LOCALHOST.'],
    'xn--bcher-kva.example': ['bücher.example'],
  }
  for (const [host, written] of Object.entries(spellings))
    for (const spelling of written) assert.equal(normalHost(spelling), host, spelling)
})

test('what is neither a name nor an address is no host (ID-141)', () => {
  for (const written of [
    '',
    ' ',
    'a b',
    'a/b',
    'me@host',
    'a?b',
    'a#b',
    'a\\b',
    'a\nb',
    '256.0.0.1',
    'fe80::1%eth0',
  ])
    assert.equal(normalHost(written), undefined, written)
})

test('two spellings of one address are the same address (ID-141)', () => {
  assert.ok(isSameAddress('::ffff:8.8.8.8', '8.8.8.8'))
  assert.ok(isSameAddress('2606:4700:0:0::1', '2606:4700::1'))
  assert.ok(!isSameAddress('8.8.8.8', '8.8.4.4'))
})
