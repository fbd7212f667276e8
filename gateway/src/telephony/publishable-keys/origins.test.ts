import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originsOf } from './origins.ts'

test('origins are kept as browsers send them, each once', () => {
  const wanted = [
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example:8443',
    'http://localhost:3000',
  ]
  assert.deepEqual(originsOf(wanted), [
    'https://shop.example',
    'https://shop.example:8443',
    'http://localhost:3000',
  ])
  assert.deepEqual(originsOf(['https://shop.example:443/']), ['https://shop.example'])
})

test('what is no origin, any origin, or a page without TLS of another machine is refused', () => {
  const hostile = [
    '*',
    'null',
    'https://*.shop.example',
    'http://shop.example',
    'https://shop.example/prices',
    'shop',
  ]
  for (const origin of [...hostile, 'https://a@shop.example', 'file:///x', 'javascript:alert(1)', ''])
    assert.throws(() => originsOf([origin]), /^Error: an origin is https:\/\/host, with a port/, origin)
  assert.throws(() => originsOf([]), /origins are 1 to 20, such as https:\/\/shop.example \(got 0\)/)
  assert.throws(() => originsOf(Array.from({ length: 21 }, (_, i) => `https://s${i}.example`)), /\(got 21\)/)
})
