import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf, wishesOf } from './wishes.ts'

test('either host of a region is the address of both', () => {
  assert.equal(hostOf({}, 'stt-rt'), 'https://stt-rt.soniox.com')
  assert.equal(hostOf({ base_url: 'https://api.eu.soniox.com' }, 'stt-rt'), 'https://stt-rt.eu.soniox.com')
  assert.equal(hostOf({ base_url: 'https://stt-rt.jp.soniox.com' }, 'api'), 'https://api.jp.soniox.com')
})

test("an operator's own host stays as it is", () => {
  assert.equal(
    hostOf({ base_url: 'https://api.example.com/soniox' }, 'stt-rt'),
    'https://api.example.com/soniox',
  )
})

test('words it must know go into its context, beside nothing it does not know', () => {
  assert.deepEqual(
    wishesOf({ model: 'm', context: ['Ana'], base_url: 'http://x', max_endpoint_delay_ms: 500 }),
    {
      enable_language_identification: true,
      context: { terms: ['Ana'] },
    },
  )
})

test('as many words go there as it takes', () => {
  const { context } = wishesOf({ context: Array.from({ length: 500 }, () => 'x'.repeat(100)) }) as {
    context: { terms: string[] }
  }
  assert.equal(context.terms.length, 80)
})
