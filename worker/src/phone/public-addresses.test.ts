import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PrivateNetworks } from '@switchroom/process/private-networks'
import { DialledAddresses } from './dialled-addresses.ts'

/** Of what IANA keeps for special purposes: the first and the last address of each, and those on either side. */
const special = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
] as const

test('of IPv6 only addresses are dialled that the whole internet knows', () => {
  const { mayDial } = new DialledAddresses([], new PrivateNetworks([]))
  for (const address of ['2606:4700::1111', '2a00:1450::5', '2001:4860:4860::8888', '2001:200::1', '3ffe::1'])
    assert.ok(mayDial(address), address)
  const kept = [
    ['::', '::1', '::ffff:8.8.8.8', '64:ff9b::808:808', '100::1', '1fff:ffff::1'],
    [
      '2001::1',
      '2001:1ff:ffff::1',
      '2001:db8::1',
      '2002:a00:1::1',
      '2620:4f:8000::1',
      '3fff::1',
      '3fff:fff::1',
    ],
    ['4000::1', '5f00::1', 'fc00::1', 'fdff::1', 'fe80::1', 'fec0::1', 'ff02::1', '2606:4700::1111%eth0'],
  ]
  for (const address of kept.flat()) assert.ok(!mayDial(address), address)
})

test('no address of a network for special purposes is dialled, and those beside it are', () => {
  const { mayDial } = new DialledAddresses([], new PrivateNetworks([]))
  for (const [before, first, last, after] of special) {
    for (const address of [first, last]) assert.ok(!mayDial(address), address)
    for (const address of [before, after]) assert.equal(mayDial(address), address !== '', address)
  }
})
