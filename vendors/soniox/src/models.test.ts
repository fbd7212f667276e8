import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveModel, recordedModel } from './models.ts'

test('a live model never goes to the endpoint for recordings, nor a model for recordings to the live one', () => {
  assert.deepEqual(['stt-rt-v5', 'stt-rt-v4', 'stt-async-v4'].map(recordedModel), [
    'stt-async-v5',
    'stt-async-v5',
    'stt-async-v4',
  ])
  assert.deepEqual(['stt-async-v5', 'stt-rt-v4', 'stt-rt-v5'].map(liveModel), [
    'stt-rt-v5',
    'stt-rt-v4',
    'stt-rt-v5',
  ])
})

test('a model that the vendor switched off is its successor', () => {
  for (const gone of ['stt-rt-preview', 'stt-async-preview', 'stt-rt-preview-v2'])
    assert.deepEqual([liveModel(gone), recordedModel(gone)], ['stt-rt-v5', 'stt-async-v5'])
})
