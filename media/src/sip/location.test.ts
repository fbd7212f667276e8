import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPrivate } from './location.ts'

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
