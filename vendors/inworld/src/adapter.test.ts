import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listingVoices, speaking } from '@switchroom/kit/testing/conformance'
import { inworldWire } from '../testing/wire.ts'

conformance(join(import.meta.dirname, '..'), inworldWire(), [
  speaking('says a line', 'Hello, there you are!', {
    choice: { knobs: { voice: 'Ashley', language: 'en-US', speed: 1.2 } },
    hasWords: true,
  }),
  listingVoices('lists its voices', {
    expect(voices) {
      assert.deepEqual(voices, [
        {
          id: 'Dennis',
          name: 'Dennis',
          language: 'en-US',
          description: 'Middle-aged man with a smooth, calm and friendly voice',
          gender: 'male',
          country: 'US',
          accent: null,
        },
        {
          id: 'a__mine',
          name: 'a__mine',
          language: 'pt',
          description: null,
          gender: null,
          country: null,
          accent: null,
        },
      ])
    },
  }),
])
