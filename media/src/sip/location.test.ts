import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inServerOrder, isPrivate } from './location.ts'

test('an address that only machines near it reach is private, to the edges of its network', () => {
  const networks = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.99.0.1', '100.119.0.1', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255', '::1'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.19.0.1', '172.20.0.1', '172.29.0.1', '172.30.0.1', '172.31.255.255'],
    ['192.168.0.0', '192.168.255.255'],
  ]
  for (const address of networks.flat()) assert.ok(isPrivate(address), address)
  const beside = [
    ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.0.0.1', '128.0.0.0'],
    ['169.253.0.1', '169.255.0.1', '172.15.255.255', '172.32.0.0', '192.167.0.1', '192.169.0.1'],
    ['101.0.0.1', '110.0.0.1', '192.16.8.1', '172.1.6.1'],
  ]
  for (const address of beside.flat()) assert.ok(!isPrivate(address), address)
})

test('servers of one priority are chosen by chance, in proportion to their weights', () => {
  const server = (name: string, priority: number, weight: number) => ({ name, priority, weight, port: 5060 })
  const records = [
    server('last', 20, 100),
    server('heavy', 10, 75),
    server('light', 10, 25),
    server('', 1, 0),
  ]
  const orders = (at: number) => inServerOrder(records, () => at).map(({ name }) => name)
  assert.deepEqual(orders(0), ['light', 'heavy', 'last'])
  assert.deepEqual(orders(0.24), ['light', 'heavy', 'last'])
  assert.deepEqual(orders(0.26), ['heavy', 'light', 'last'])
  assert.deepEqual(orders(0.999), ['heavy', 'light', 'last'])
  const unweighted = [server('one', 1, 0), server('two', 1, 0)]
  assert.equal(inServerOrder(unweighted, () => 0.5).length, 2)
})

test('of IPv6 the networks that only machines near them reach are private', () => {
  for (const address of ['::', '::1', 'fc00::1', 'fdff::1', 'fe80::1', 'febf::1'])
    assert.ok(isPrivate(address), address)
  for (const address of ['2001:4860::1', 'fbff::1', 'fec0::1']) assert.ok(!isPrivate(address), address)
})
