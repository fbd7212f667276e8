import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manifestOf, vendorsOf } from '../../../testing/providers/vendor-packages.ts'
import { readStageWord, type StageKnob } from './stage-parsing.ts'
import { notLent } from './vendor-refusals.ts'

const vendors = vendorsOf(manifestOf('mind', ['llm']), manifestOf('both', ['stt', 'tts']))
const row = { models: { 'llm/mind': ['big', 'small'], 'llm/gone': ['other'], 'stt/both': [] } }
const read = (knob: StageKnob, word: string | null, inUse = 'mind') =>
  readStageWord(vendors, row, knob, word, inUse)
const refusedWith = (knob: StageKnob, word: string | null, message: string, inUse?: string) =>
  assert.throws(() => read(knob, word, inUse), { status: 400, message })

test('a word is vendor/model, a vendor alone or a model alone on the vendor in use (SD-17)', () => {
  assert.deepEqual(read('llm', 'mind/huge'), { vendor: 'mind', model: 'huge' })
  assert.deepEqual(read('llm', 'mind/meta/huge'), { vendor: 'mind', model: 'meta/huge' })
  assert.deepEqual(read('judge', 'mind/huge'), { vendor: 'mind', model: 'huge' })
  assert.deepEqual(read('llm', 'huge'), { vendor: 'mind', model: 'huge' })
  assert.deepEqual(read('stt', 'mind', 'both'), { vendor: 'both', model: 'mind' })
})

test("a vendor alone runs the row's first model for the service, else its manifest's own (SD-17)", () => {
  assert.deepEqual(read('llm', 'mind'), { vendor: 'mind', model: 'big' })
  assert.deepEqual(read('judge', 'mind'), { vendor: 'mind', model: 'big' })
  assert.deepEqual(read('stt', 'both'), { vendor: 'both', model: 'both-stt-1' })
  assert.deepEqual(read('tts', 'both'), { vendor: 'both', model: 'both-tts-1' })
})

test('a vendor that no installed plugin is, or that does other things, is 400 and named (SD-17, S-416)', () => {
  refusedWith('llm', 'nosuch/big', 'this build has no plugin for nosuch')
  refusedWith('llm', 'gone/other', 'this build has no plugin for gone')
  refusedWith('tts', 'nosuch', 'this build has no plugin for nosuch')
  refusedWith('llm', 'both/big', 'this build has no plugin for both that does llm')
  refusedWith('tts', 'mind', 'this build has no plugin for mind that does tts')
  refusedWith('llm', 'huge', 'this build has no plugin for gone', 'gone')
})

test('a blank word, one without a model, one too long and a model in the word of the voice are 400 (SD-16, SD-17)', () => {
  for (const knob of ['llm', 'stt', 'tts', 'judge'] as const)
    for (const word of [null, '', '  \t']) refusedWith(knob, word, `\`${knob}\` is blank`)
  refusedWith('llm', 'mind/ ', '`llm` names no model of mind')
  refusedWith('llm', '🎧'.repeat(201), '`llm` is at most 200 characters')
  assert.equal(read('llm', '🎧'.repeat(200)).vendor, 'mind')
  refusedWith('tts', 'both/fast', '`tts` names a vendor alone: its model goes into `tts_model`')
})

test('the refusal of a vendor that neither the platform nor the org has a key for names the knob and the vendor (SD-22)', () => {
  const { status, message } = notLent('tts', { vendor: 'both' })
  assert.deepEqual(
    [status, message],
    [400, '`tts`: the platform lends this org no both, and the org brought no key for it'],
  )
})
