import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listingVoices, speaking } from '@switchroom/kit/testing/conformance'
import { rimeWire } from '../testing/wire.ts'

conformance(join(import.meta.dirname, '..'), rimeWire(), [
  speaking('says a line', 'Hello, there you are', {
    choice: { knobs: { voice: 'luna', language: 'en', speed: 1.2, sample_rate: 16_000 } },
    isRaw: true,
  }),
  listingVoices('lists its voices', {
    expect(voices) {
      assert.deepEqual(voices, [
        {
          id: 'astra',
          name: 'astra',
          language: 'en',
          description: 'Bright, lively California, quick and expressive.',
          gender: 'female',
          country: 'US',
          accent: 'Standard',
        },
        {
          id: 'liesel',
          name: 'liesel',
          language: 'de',
          description: null,
          gender: 'female',
          country: null,
          accent: null,
        },
      ])
    },
  }),
])
