import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, socketAddressOf } from './addresses.ts'

test('a path is appended to an address with a path of its own, with or without a slash at its end', () => {
  for (const base of ['http://host:1/eu', 'http://host:1/eu/'])
    assert.equal(String(addressOf(base, '/v1/speak')), 'http://host:1/eu/v1/speak')
})

test('a query has each value of a list, and nothing for what is undefined', () => {
  const url = addressOf('https://host', '/v1', {
    model: 'a b',
    term: ['x', 'y&z'],
    off: false,
    none: undefined,
  })
  assert.equal(url.search, '?model=a+b&term=x&term=y%26z&off=false')
})

test('a socket is as secret as the address it was made of', () => {
  assert.equal(String(socketAddressOf('https://host', '/v1')), 'wss://host/v1')
  assert.equal(String(socketAddressOf('http://host:8', '/v1')), 'ws://host:8/v1')
})
