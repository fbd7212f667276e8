import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateNetwork, PrivateNetworks } from './private-networks.ts'
import { SettingError } from './setting-reader.ts'

test('only networks that are not public can be named, in their usual spelling', () => {
  for (const value of ['10.0.0.0/8', '172.16.0.0/12', '192.168.7.0/24', '100.64.0.0/10', '127.0.0.1/32'])
    assert.equal(privateNetwork(value), value)
  assert.equal(privateNetwork('10.1.2.3'), '10.1.2.3/32')
  const wrong = {
    '8.8.8.0/24': 'is not private: public networks need no setting',
    '203.0.113.0/24': 'is not private: public networks need no setting',
    '10.1.0.0/7': 'is no IPv4 network, as 10.1.0.0/16',
    '10.1.2.3/16': 'has host bits set: the network is 10.1.0.0/16',
    'fd00::/8': 'is no IPv4 network, as 10.1.0.0/16',
    '010.0.0.1': 'is no IPv4 network, as 10.1.0.0/16',
    '': 'is no IPv4 network, as 10.1.0.0/16',
  }
  for (const [value, why] of Object.entries(wrong))
    assert.throws(() => privateNetwork(value), new SettingError(`holds ${value}, which ${why}`))
})

test('an address is in a network that was named, and a network only as a whole', () => {
  const networks = new PrivateNetworks(['10.1.0.0/16', '192.168.7.9/32'])
  for (const address of ['10.1.0.0', '10.1.255.255', '192.168.7.9']) assert.ok(networks.has(address), address)
  for (const address of ['10.2.0.0', '192.168.7.8', '127.0.0.1', '::1', 'pbx', ''])
    assert.ok(!networks.has(address), address)
  assert.ok(networks.has('10.1.4.0', 24))
  assert.ok(!networks.has('10.0.0.0', 8))
  assert.ok(!networks.has('192.168.7.0', 24))
  assert.ok(!new PrivateNetworks([]).has('10.1.0.0'))
})
