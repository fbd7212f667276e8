import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  classFor,
  keywordsFor,
  languageOfVoice,
  languagesOf,
  readManifest,
  type StageManifest,
} from './manifest.ts'

const transcriber: StageManifest = {
  default: 'STT',
  model: 'nova-3',
  by_model: { flux: 'Flux', 'flux-general': 'General', '': 'STT' },
  classes: {
    STT: { takes: ['model', 'language'], knobs: { stt: 'model', language: 'language' }, streams: true },
    Flux: { takes: ['model', 'eot'], knobs: { stt: 'model', eot_threshold: 'eot' }, streams: true },
    General: { takes: ['model'], knobs: { stt: 'model' }, streams: true },
  },
}

const manifest = {
  name: 'acme',
  does: ['stt'],
  credentials: { fields: ['api_key', 'account'], key: 'api_key', needs: ['api_key', 'account'] },
  stages: { stt: transcriber },
}

test('the class is what a person names, else of the longest prefix of the model, else the default (SD-46)', () => {
  assert.equal(classFor(transcriber, 'nova-3'), 'STT')
  assert.equal(classFor(transcriber, 'flux-2'), 'Flux')
  assert.equal(classFor(transcriber, 'flux-general-en'), 'General')
  assert.equal(classFor(transcriber, 'flux-general-en', 'STT'), 'STT')
  const { by_model: _unused, ...plain } = transcriber
  assert.equal(classFor(plain, 'flux-2'), 'STT')
})

const { STT: plainTranscriber } = transcriber.classes

test('knobs go under the keywords of the class, over its options; others stay out (SD-24, SD-46)', () => {
  assert.ok(plainTranscriber)
  const options = { model: 'from the row', base_url: 'http://x' }
  const knobs = { stt: 'nova-3', language: undefined, eot_threshold: 0.7, constructor: 1, toString: 2 }
  assert.deepEqual(keywordsFor(plainTranscriber, options, knobs), { model: 'nova-3', base_url: 'http://x' })
})

test('a knob that is set to nothing much is still set (ST-001)', () => {
  assert.ok(plainTranscriber)
  assert.deepEqual(keywordsFor(plainTranscriber, { language: 'en' }, { stt: '', language: null }), {
    model: '',
    language: null,
  })
})

test('a whole manifest is read as it is (SD-46)', () => {
  assert.deepEqual(readManifest(manifest), manifest)
})

const broken: Record<string, [change: unknown, sentence: RegExp]> = {
  'that is nothing': [null, /^svcVendor must be object$/],
  'without a name': [{ ...manifest, name: undefined }, /^svcVendor must have required property 'name'$/],
  'with an invalid name': [{ ...manifest, name: 'Acme!' }, /^svcVendor\/name must match pattern/],
  'with an unknown stage': [{ ...manifest, does: ['stt', 'smell'] }, /^svcVendor\/does\/1 /],
  'that lacks a stage it does': [{ ...manifest, does: ['tts'] }, /^svcVendor\/stages lacks tts$/],
  'whose default is no class': [
    { ...manifest, stages: { stt: { ...transcriber, default: 'Gone' } } },
    /^svcVendor\/stages\/stt names no class Gone$/,
  ],
  'whose default is a class only in name': [
    { ...manifest, stages: { stt: { ...transcriber, default: 'constructor' } } },
    /^svcVendor\/stages\/stt names no class constructor$/,
  ],
  'whose model asks for no class': [
    { ...manifest, stages: { stt: { ...transcriber, by_model: { x: 'Gone' } } } },
    /^svcVendor\/stages\/stt names no class Gone$/,
  ],
  'with a class that does not say what it takes': [
    { ...manifest, stages: { stt: { ...transcriber, classes: { STT: { knobs: {}, streams: true } } } } },
    /^svcVendor\/stages\/stt\/classes\/STT must have required property 'takes'$/,
  ],
  'with a knob under a keyword the class does not take': [
    {
      ...manifest,
      stages: {
        stt: {
          ...transcriber,
          classes: { ...transcriber.classes, STT: { ...plainTranscriber, takes: ['model'] } },
        },
      },
    },
    /^svcVendor\/stages\/stt\/classes\/STT takes no language$/,
  ],
  'with a key that is no field': [
    { ...manifest, credentials: { fields: ['token'], key: 'api_key' } },
    /^svcVendor\/credentials names no field api_key$/,
  ],
  'that needs what is no field': [
    { ...manifest, credentials: { fields: ['api_key'], key: 'api_key', needs: ['account'] } },
    /^svcVendor\/credentials names no field account$/,
  ],
}

test('a model knows the languages of its longest prefix, and a voice the one that its name says', () => {
  const speaks: StageManifest = {
    ...transcriber,
    languages: { aura: 'en', 'aura-2': 'en es' },
    voice_language: { part: 'last', unless: ['Many'] },
  }
  assert.deepEqual(languagesOf(speaks, 'aura'), ['en'])
  assert.deepEqual(languagesOf(speaks, 'aura-2'), ['en', 'es'])
  assert.equal(languagesOf(speaks, 'sonic'), undefined)
  assert.equal(languageOfVoice(speaks, 'aura-2-celeste-es'), 'es')
  for (const voice of ['aura-2', 'own-Voice', 'Many-en', 'es'])
    assert.equal(languageOfVoice(speaks, voice), undefined, voice)
  const first: StageManifest = { ...speaks, voice_language: { part: 'first' } }
  assert.equal(languageOfVoice(first, 'es-MX-DaliaNeural'), 'es')
  assert.equal(languageOfVoice(transcriber, 'aura-2-celeste-es'), undefined)
})

for (const [how, [declared, sentence]] of Object.entries(broken))
  test(`a manifest ${how} is broken in a sentence (SD-46)`, () => {
    assert.throws(() => readManifest(declared), { message: sentence })
  })
