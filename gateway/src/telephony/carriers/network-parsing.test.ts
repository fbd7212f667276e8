import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../foundation/refusals.ts'
import { readNetworks } from './network-parsing.ts'

const read = (...written: string[]) => readNetworks('addresses', written)

const refusalOf = (...written: string[]): string => {
  try {
    read(...written)
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 400, String(error))
    return error.message
  }
  return assert.fail(`${written.join()} was read`)
}

test('an address or a network no wider than a /24 is read, each once and a /32 as the bare address (N-127, N-128, N-527, ND-16)', () => {
  assert.deepEqual(read('8.8.8.8'), ['8.8.8.8'])
  assert.deepEqual(read('8.8.8.8/32', '8.8.8.8', '9.9.9.0/24', '9.9.9.0/24'), ['8.8.8.8', '9.9.9.0/24'])
  for (const bits of [24, 25, 26, 27, 28, 29, 30, 31])
    assert.deepEqual(read(`8.8.8.0/${bits}`), [`8.8.8.0/${bits}`])
  assert.deepEqual(read('1.0.0.1', '223.255.255.255', '99.255.255.255', '100.128.0.0/24'), [
    '1.0.0.1',
    '223.255.255.255',
    '99.255.255.255',
    '100.128.0.0/24',
  ])
})

test('a network wider than a /24 is refused by name (N-128, N-527, T-35, ND-16)', () => {
  for (const bits of [0, 1, 8, 9, 16, 22, 23])
    assert.equal(refusalOf(`8.0.0.0/${bits}`), `addresses: 8.0.0.0/${bits} is wider than a /24`)
})

test('whatever is not plainly four decimal numbers is refused, however other programs would read it (N-127, T-35, ND-16)', () => {
  const spellings = [
    // IPv6, and IPv4 inside it
    '2001:4860:4860::8888',
    '2001:db8::/32',
    '::1',
    '::ffff:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::808:808',
    '[::ffff:8.8.8.8]',
    // octal, hexadecimal, short and whole-number forms
    '010.8.8.8',
    '8.8.8.08',
    '0177.0.0.1',
    '0x8.8.8.8',
    '0x08080808',
    '134744072',
    '8.8.2056',
    '8.526344',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.256',
    '8.8.8.-1',
    '8.8.8.+8',
    '8.8.8.1e1',
    // dots, spaces, and digits of other scripts
    '8.8.8.8.',
    '.8.8.8.8',
    '8..8.8',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8\n',
    '8.8. 8.8',
    '８.8.8.8',
    '٨.8.8.8',
    '8。8。8。8',
    '8.8.8.8\u0000',
    // masks
    '8.8.8.0/',
    '8.8.8.0/024',
    '8.8.8.0/33',
    '8.8.8.0/-1',
    '8.8.8.0/24/24',
    '8.8.8.0/255.255.255.0',
    '8.8.8.0/2４',
    '8.8.8.0 /24',
    '8.8.8.0\\24',
    '/24',
    // others
    '',
    'example.com',
    '8.8.8.8:5060',
    '8.8.8.8-8.8.8.9',
    '8.8.8.*',
    'sip:8.8.8.8',
  ]
  for (const written of spellings)
    assert.match(
      refusalOf(written),
      /^addresses: .+ is not an IPv4 address or network, as a\.b\.c\.d or a\.b\.c\.d\/n$/s,
      JSON.stringify(written),
    )
  assert.equal(
    refusalOf('8.8.8.8', '::1'),
    'addresses: ::1 is not an IPv4 address or network, as a.b.c.d or a.b.c.d/n',
  )
})

test('host bits that are set are refused, and the network is named (T-35, ND-16)', () => {
  assert.equal(refusalOf('8.8.8.8/24'), 'addresses: 8.8.8.8/24 has host bits set: the network is 8.8.8.0/24')
  assert.equal(refusalOf('8.8.8.1/31'), 'addresses: 8.8.8.1/31 has host bits set: the network is 8.8.8.0/31')
  assert.equal(
    refusalOf('8.8.8.130/26'),
    'addresses: 8.8.8.130/26 has host bits set: the network is 8.8.8.128/26',
  )
})

test('private, shared, loopback, documentation and every other range that is not public is refused, from its first address to its last (N-129, N-130, N-131, N-132, T-35, ND-16)', () => {
  const ranges: Record<string, string[]> = {
    private: [
      '10.0.0.0',
      '10.1.2.3',
      '10.255.255.255',
      '172.16.0.0',
      '172.31.255.255',
      '192.168.0.0/24',
      '192.168.255.255',
    ],
    'shared by many networks': ['100.64.0.0', '100.64.0.1', '100.127.255.255', '100.64.0.0/24'],
    loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
    'link-local': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    multicast: ['224.0.0.0', '239.255.255.255'],
    reserved: [
      '0.0.0.0',
      '0.255.255.255',
      '192.0.0.0/24',
      '192.0.0.9',
      '192.0.2.0/24',
      '192.0.2.1',
      '198.18.0.0',
      '198.19.255.255',
      '198.51.100.0/24',
      '203.0.113.7',
      '240.0.0.0',
      '255.255.255.254',
      '255.255.255.255',
    ],
  }
  for (const [name, written] of Object.entries(ranges))
    for (const one of written) assert.equal(refusalOf(one), `addresses: ${one} is not public: it is ${name}`)
  const neighbours = [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '203.0.112.255',
    '203.0.114.0',
  ]
  assert.deepEqual(read(...neighbours), neighbours)
})

test('of 32 networks every one counts once, and a 33rd is refused (ND-16)', () => {
  const many = Array.from({ length: 32 }, (_, n) => `8.8.${n}.0/24`)
  assert.equal(read(...many, ...many).length, 32)
  assert.equal(refusalOf(...many, '9.9.9.9'), 'addresses: name at most 32 addresses')
  assert.equal(refusalOf(), 'addresses: name at least one address')
})

test('a long one is cut in the sentence that names it (ND-16)', () => {
  assert.ok(refusalOf('8'.repeat(100_000)).length < 200)
})
