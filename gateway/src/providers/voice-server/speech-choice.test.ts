import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { AskGrant } from '@switchroom/contract/voice-server'
import { startDeployment } from '../../../testing/deployment.ts'
import {
  listingAdapter,
  speechManifest,
  voiceEntry,
  VoiceServer,
} from '../../../testing/providers/voice-server.ts'
import { rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'
import { secondMs } from '../../foundation/clock.ts'

const listed = [voiceEntry('id-1', 'Ana'), voiceEntry('id-2', 'Ana'), voiceEntry('shared', 'Shared')]
const fake = await startWireFake({
  refusal: (words) => ({ message: words }),
  http: (_request, answer) => answer.json(listed),
})
const tts = (more: object) => ({ tts: more }) as Parameters<typeof speechManifest>[1]
const folder = new VendorFolder()
  .add(
    speechManifest('lister', tts({ lists_voices: true, auto: { '*': 'lister-many', es: 'lister-es' } })),
    listingAdapter,
  )
  .add(speechManifest('rowonly', tts({ formats: ['pcm', 'wav'], auto: { en: 'rowonly-en' } })))
  .add(speechManifest('mute', tts({ classes: { TTS: { takes: ['model'], knobs: {}, streams: true } } })))
const rates = [
  { ...rateOf('tts', 'lister', true), model: 'lister-many' },
  { ...rateOf('tts', 'lister', true), model: 'lister-es' },
  { ...rateOf('tts', 'lister', true), model: 'lister-rich', tier: 'premium' },
  rateOf('tts', 'rowonly', true),
  { ...rateOf('tts', 'rowonly', true), model: 'rowonly-en' },
  { ...rateOf('tts', 'rowonly', true), model: 'group/slashed' },
  rateOf('tts', 'mute', true),
]
const lent = ['LISTER', 'ROWONLY', 'MUTE'].map((name) => [`SVC_PROVIDER_KEY_${name}`, 'sk'])
const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  ...Object.fromEntries(lent),
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await fake.stop()
  folder[Symbol.dispose]()
})
await changeRow(deployment, (row) => {
  row.options['tts/lister'] = { base_url: fake.url }
  row.models['tts/lister'] = ['lister-many', 'lister-unpriced']
  row.voices = {
    lister: { en: [{ id: 'row-1', name: 'Ana' }] },
    rowonly: { en: [{ id: 'aura', name: 'Aura Lee' }, 'shared'] },
  }
})
const voiceServer = new VoiceServer(deployment)
const org = await deployment.newOrg()
const { key_id } = await org.serverToken('sandbox')

type Words = Partial<Pick<AskGrant, 'voice' | 'model' | 'language' | 'response_format'>>
const ask = (words: Words) => voiceServer.ask({ doing: 'speech', key_id, characters: 1, ...words })
const chosen = async (words: Words) => {
  const { grant, refusal } = await ask(words)
  assert.ok(grant, JSON.stringify(refusal))
  return [`${grant.vendor}/${grant.model}`, grant.knobs['voice']]
}
const refuses = async (words: Words, code: string, error: string) =>
  assert.deepEqual(await ask(words), { refusal: { status: 400, code, error } }, JSON.stringify(words))

test("a voice is its vendor's alias, the row's first, else its id (S-293, S-323, SD-69)", async () => {
  assert.deepEqual(await chosen({ voice: 'lister/ana' }), ['lister/lister-many', 'row-1'])
  assert.deepEqual(await chosen({ voice: 'lister/ana-2' }), ['lister/lister-many', 'id-1'])
  assert.deepEqual(await chosen({ voice: 'lister/ana-3' }), ['lister/lister-many', 'id-2'])
  assert.deepEqual(await chosen({ voice: 'lister/id-2' }), ['lister/lister-many', 'id-2'])
  assert.deepEqual(await chosen({ voice: 'rowonly/aura-lee' }), ['rowonly/rowonly-tts-1', 'aura'])
})

test('a voice is a raw id of the vendor that the model names, else of the only one that has it (S-294, SD-69)', async () => {
  assert.deepEqual(await chosen({ voice: 'id-2' }), ['lister/lister-many', 'id-2'])
  assert.deepEqual(await chosen({ voice: 'aura' }), ['rowonly/rowonly-tts-1', 'aura'])
  assert.deepEqual(await chosen({ voice: 'shared', model: 'lister/auto' }), ['lister/lister-many', 'shared'])
  assert.deepEqual(await chosen({ voice: 'shared', model: 'rowonly/auto' }), [
    'rowonly/rowonly-tts-1',
    'shared',
  ])
})

test('a voice that no vendor has, or that several have, is BAD_VOICE (S-439, SD-69)', async () => {
  for (const voice of ['nosuch', 'ana', 'nosuch/ana'])
    await refuses(
      { voice },
      'BAD_VOICE',
      `\`voice\`: there is no voice ${voice}: GET /v1/audio/voices lists them`,
    )
  await refuses(
    { voice: 'shared' },
    'BAD_VOICE',
    '`voice`: lister · rowonly have a voice shared: name it as provider/voice',
  )
  for (const words of [{ voice: 'lister/nosuch' }, { voice: 'nosuch', model: 'lister/auto' }])
    await refuses(words, 'BAD_VOICE', '`voice`: lister has no voice nosuch')
  await refuses({ voice: 'mute/x' }, 'BAD_VOICE', '`voice`: mute takes no voice')
})

test('if no list has all voices of a vendor, an id goes to it as it is (SD-69)', async () => {
  assert.deepEqual(await chosen({ voice: 'rowonly/its-own' }), ['rowonly/rowonly-tts-1', 'its-own'])
  assert.deepEqual(await chosen({ voice: 'its-own', model: 'rowonly/auto' }), [
    'rowonly/rowonly-tts-1',
    'its-own',
  ])
})

test("a voice of one vendor with another's model is BAD_VOICE (SD-69)", async () => {
  await refuses(
    { voice: 'lister/ana', model: 'rowonly/auto' },
    'BAD_VOICE',
    '`voice`: lister/ana is of lister, and `model` is of rowonly',
  )
})

test('a model is named with its vendor, and its own name may hold a slash (S-295, SD-69)', async () => {
  const voice = 'lister/ana'
  assert.equal((await chosen({ voice, model: 'lister/lister-es' }))[0], 'lister/lister-es')
  const slashed = 'rowonly/group/slashed'
  assert.equal((await chosen({ voice: 'rowonly/aura', model: slashed }))[0], slashed)
})

test('auto and no model at all mean what the vendor has for the language, else for all, else its first (S-296, S-297, SD-69)', async () => {
  for (const model of [null, 'lister/auto']) {
    const words = { voice: 'lister/ana', model }
    assert.equal((await chosen(words))[0], 'lister/lister-many')
    assert.equal((await chosen({ ...words, language: 'es' }))[0], 'lister/lister-es')
    assert.equal((await chosen({ ...words, language: 'pt' }))[0], 'lister/lister-many')
  }
  const voice = 'rowonly/aura'
  assert.equal((await chosen({ voice, language: 'en' }))[0], 'rowonly/rowonly-en')
  assert.equal((await chosen({ voice, language: 'pt' }))[0], 'rowonly/rowonly-tts-1')
})

test('a model without its vendor, of a vendor that is not here, or that does not exist is BAD_MODEL (S-438, SD-69)', async () => {
  const voice = 'lister/ana'
  await refuses({ voice, model: 'lister-es' }, 'BAD_MODEL', '`model` is provider/model or provider/auto')
  await refuses({ voice, model: 'nosuch/x' }, 'BAD_MODEL', '`model`: this build has no plugin for nosuch')
  await refuses(
    { voice, model: 'soniox/x' },
    'BAD_MODEL',
    '`model`: this build has no plugin for soniox that does tts',
  )
  await refuses({ voice, model: 'lister/x' }, 'BAD_MODEL', '`model`: lister has no model x here')
})

test('a model of a vendor that is not installed is refused before a bad voice, any other after it (S-438, SD-67)', async () => {
  const voice = 'nosuch'
  const noPlugin = '`model`: this build has no plugin for nosuch'
  await refuses({ voice, model: 'nosuch/x' }, 'BAD_MODEL', noPlugin)
  await refuses({ voice, model: 'lister/x' }, 'BAD_VOICE', '`voice`: lister has no voice nosuch')
  assert.equal((await ask({ voice, model: 'x' })).refusal?.code, 'BAD_VOICE')
})

test('a model that is listed without a price runs on an own key alone (SD-69)', async () => {
  const words = { voice: 'lister/ana', model: 'lister/lister-unpriced' }
  await refuses(
    words,
    'BAD_MODEL',
    '`model`: the platform lends this org no lister, and the org brought no key for it',
  )
  const other = await deployment.newOrg()
  await (await other.person('admin')).client.put('/v1/provider-keys/lister', { key: 'sk-own' })
  const token = await other.serverToken('sandbox')
  const granted = await voiceServer.grant({ doing: 'speech', characters: 1, ...words, key_id: token.key_id })
  assert.deepEqual([granted.model, granted.is_own], ['lister-unpriced', true])
})

test("a model that the org's plan does not allow is BAD_MODEL (S-388, SD-69)", async () => {
  const words = { voice: 'lister/ana', model: 'lister/lister-rich' }
  assert.equal((await chosen(words))[0], words.model)
  await voiceServer.account(org, { plan: 'free' })
  await refuses(words, 'BAD_MODEL', "`model`: the org's plan does not allow lister/lister-rich")
  assert.equal((await chosen({ voice: 'lister/ana' }))[0], 'lister/lister-many')
  await voiceServer.account(org, { plan: 'pro' })
})

test('a format that no vendor makes, or that the vendor does not, is FORMAT_UNSUPPORTED before any bad voice or model (S-440, SD-67, SD-70)', async () => {
  const anything = '`response_format` is pcm, wav or mp3'
  await refuses({ voice: 'nosuch', model: 'x', response_format: 'opus' }, 'FORMAT_UNSUPPORTED', anything)
  const rowonly = '`response_format`: rowonly makes pcm · wav'
  await refuses({ voice: 'rowonly/aura', response_format: 'mp3' }, 'FORMAT_UNSUPPORTED', rowonly)
  const both = { voice: 'lister/ana', model: 'rowonly/x', response_format: 'mp3' }
  await refuses(both, 'FORMAT_UNSUPPORTED', rowonly)
  for (const response_format of ['pcm', 'wav', 'mp3'])
    assert.equal((await chosen({ voice: 'lister/ana', response_format }))[1], 'row-1')
})

test('the list of a vendor is remembered, and asked for again for a voice that it did not have (SD-69)', async () => {
  await chosen({ voice: 'lister/id-1' })
  const before = fake.seen.length
  for (let times = 0; times < 5; times += 1) await chosen({ voice: 'lister/id-1' })
  assert.equal(fake.seen.length, before)
  listed.push(voiceEntry('id-new', 'Novella'))
  deployment.clock.forward(11 * secondMs)
  assert.deepEqual(await chosen({ voice: 'lister/novella' }), ['lister/lister-many', 'id-new'])
  assert.equal(fake.seen.length, before + 1)
})

test('a vendor that does not answer does not prevent speech (SD-69)', async () => {
  await using other = await deployment.another({ SVC_SAMPLE_TIMEOUT_S: '1' })
  const server = new VoiceServer(other)
  const asked = { doing: 'speech', key_id, characters: 1 } as const
  fake.mode = 'hang'
  assert.equal((await server.grant({ ...asked, voice: 'aura' })).vendor, 'rowonly')
  assert.equal((await server.grant({ ...asked, voice: 'lister/ana' })).knobs['voice'], 'row-1')
  assert.equal((await server.grant({ ...asked, voice: 'lister/id-1' })).knobs['voice'], 'id-1')
  fake.mode = 'answer'
})

test('speech without a count of its characters has no price, and so no grant (SD-66)', async () => {
  const refusal = { status: 400, code: 'BAD_REQUEST', error: 'speech is granted by its characters' }
  assert.deepEqual(await voiceServer.ask({ doing: 'speech', key_id, voice: 'lister/ana' }), { refusal })
})
