import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PrivateNetworks } from '@switchroom/process/private-networks'
import { DialledAddresses } from './dialled-addresses.ts'

const none = new PrivateNetworks([])

test("a trunk's address is public, or belongs to a host that the operator allows", async () => {
  const addresses = new DialledAddresses(['10.0.0.5', '0177.0.0.1:5060', 'localhost'], none)
  for (const address of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '223.255.255.255'])
    assert.ok(addresses.mayDial(address), address)
  const near = ['127.0.0.1', '10.0.0.5', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1']
  for (const address of [...near, '0.0.0.0', '224.0.0.1', '255.255.255.255', '203.0.113.7', '::1', 'x'])
    assert.ok(!addresses.mayDial(address), address)
  await addresses.expect('10.0.0.5:5070')
  assert.ok(addresses.mayDial('10.0.0.5'))
  assert.ok(!addresses.mayDial('10.0.0.6'))
  await addresses.expect('10.0.0.6')
  await addresses.expect('not a host')
  assert.ok(!addresses.mayDial('10.0.0.6'))
  await addresses.expect('LOCALHOST.')
  assert.ok(addresses.mayDial('127.0.0.1'))
})

test('an address in a private network that the operator names may be dialled, and no other', () => {
  const { mayDial } = new DialledAddresses([], new PrivateNetworks(['10.1.0.0/16']))
  for (const address of ['10.1.0.1', '10.1.255.255', '8.8.8.8']) assert.ok(mayDial(address), address)
  for (const address of ['10.2.0.1', '192.168.1.1', '127.0.0.1']) assert.ok(!mayDial(address), address)
})
