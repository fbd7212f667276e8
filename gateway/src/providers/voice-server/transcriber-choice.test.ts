import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { AskGrant } from '@switchroom/contract/voice-server'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'
import { speechManifest, VoiceServer } from '../../../testing/providers/voice-server.ts'
import defaults from '../../../default-transcribers.json' with { type: 'json' }

const shipped = JSON.parse(readFileSync(new URL('../../../rates.json', import.meta.url), 'utf8'))
const stt = (more: object) => ({ stt: more }) as Parameters<typeof speechManifest>[1]
const deaf = { takes: ['model'], knobs: {}, streams: false }
const folder = new VendorFolder()
  .add(speechManifest('livealone', stt({ batch: false })))
  .add(speechManifest('tells', stt({ diarize: { batch: true, live: true } })))
  .add(
    speechManifest('batchalone', {
      ...stt({ classes: { STT: deaf }, diarize: { batch: true, live: false } }),
    }),
  )
const rates = [
  ...shipped,
  rateOf('stt', 'livealone', true),
  rateOf('stt', 'tells', true),
  { ...rateOf('stt', 'tells', true), model: 'tells-rich', tier: 'premium' },
  rateOf('stt', 'batchalone', true),
]
const settings = {
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  SVC_PROVIDER_KEY_LIVEALONE: 'sk',
  SVC_PROVIDER_KEY_TELLS: 'sk',
  SVC_PROVIDER_KEY_BATCHALONE: 'sk',
}
const deployment = await startDeployment(settings)
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const platformKeys = Object.fromEntries(
  [...defaults.transcriptions, ...defaults.streams].map((word) => [
    `SVC_PROVIDER_KEY_${(word.split('/')[0] ?? '').toUpperCase()}`,
    'sk-of-the-platform',
  ]),
)
const lentKeys = await deployment.another(platformKeys)

type Hearing = 'transcriptions' | 'streams'
type Words = Partial<Pick<AskGrant, 'model' | 'diarize' | 'language'>>

async function asker(of: Deployment, ...own: string[]) {
  const server = new VoiceServer(of)
  const org = await of.newOrg()
  const { client } = await org.person('admin')
  for (const vendor of own)
    assert.equal((await client.put(`/v1/provider-keys/${vendor}`, { key: 'sk-own' })).status, 200)
  const { key_id } = await org.serverToken('sandbox')
  const ask = (doing: Hearing, words: Words = {}) => server.ask({ doing, key_id, ...words })
  const heardBy = async (doing: Hearing, words: Words = {}) => {
    const { grant, refusal } = await ask(doing, words)
    if (grant) await server.settle(grant.id, {})
    return grant ? `${grant.vendor}/${grant.model}` : refusal?.code
  }
  const refuses = async (doing: Hearing, words: Words, code: string, error: string) =>
    assert.deepEqual(await ask(doing, words), { refusal: { status: 400, code, error } })
  return { server, org, client, ask, heardBy, refuses }
}

test('the closed sets are four models for recordings and three for streams, all of installed vendors and priced (S-331, S-343, SD-74, SD-77)', async () => {
  assert.deepEqual(defaults.transcriptions, [
    'deepgram/nova-3',
    'deepgram/nova-2',
    'openai/gpt-transcribe',
    'soniox/stt-async-v5',
  ])
  assert.deepEqual(defaults.streams, ['deepgram/nova-3', 'soniox/stt-rt-v5', 'gladia/solaria-1'])
  const { heardBy } = await asker(lentKeys)
  for (const doing of ['transcriptions', 'streams'] as const)
    for (const model of defaults[doing]) assert.equal(await heardBy(doing, { model }), model)
})

test('no model means the first of the set that has a key to run on (S-331, S-343, SD-74, SD-77)', async () => {
  const { heardBy } = await asker(lentKeys)
  assert.equal(await heardBy('transcriptions'), 'deepgram/nova-3')
  assert.equal(await heardBy('streams'), 'deepgram/nova-3')
  const byVendor = async (...own: string[]) => {
    const asked = await asker(deployment, ...own)
    return [await asked.heardBy('transcriptions'), await asked.heardBy('streams')]
  }
  assert.deepEqual(await byVendor('openai', 'gladia'), ['openai/gpt-transcribe', 'gladia/solaria-1'])
  assert.deepEqual(await byVendor('soniox', 'gladia'), ['soniox/stt-async-v5', 'soniox/stt-rt-v5'])
  assert.deepEqual(await byVendor('deepgram', 'soniox'), ['deepgram/nova-3', 'deepgram/nova-3'])
})

test('no model and no key at all means what runs without one, while that is not withheld (S-331, S-343, SD-74, SD-80)', async () => {
  const { heardBy, refuses, org } = await asker(deployment)
  for (const doing of ['transcriptions', 'streams'] as const)
    assert.equal(await heardBy(doing), 'local/moonshine-tiny')
  await changeRow(deployment, (row) => void (row.withheld = { local: [org.slug] }))
  for (const doing of ['transcriptions', 'streams'] as const)
    await refuses(
      doing,
      {},
      'BAD_MODEL',
      '`model`: no model has a key to run on: bring one of your own, or name another model',
    )
  await changeRow(deployment, (row) => void (row.withheld = {}))
})

test('no model with diarize means the first of the set that distinguishes speakers (SD-74, SD-77)', async () => {
  const { heardBy } = await asker(deployment, 'openai', 'soniox', 'gladia')
  assert.equal(await heardBy('transcriptions'), 'openai/gpt-transcribe')
  assert.equal(await heardBy('transcriptions', { diarize: true }), 'soniox/stt-async-v5')
  assert.equal(await heardBy('streams', { diarize: true }), 'soniox/stt-rt-v5')
  const { refuses } = await asker(deployment, 'openai', 'gladia')
  for (const doing of ['transcriptions', 'streams'] as const)
    await refuses(
      doing,
      { diarize: true },
      'DIARIZE_UNSUPPORTED',
      '`diarize`: local/moonshine-tiny does not tell speakers apart here',
    )
})

test('no credits on the first model with a key is no reason for the next (SD-66, SD-74)', async () => {
  const { server, org, heardBy } = await asker(lentKeys)
  await server.account(org, { credits: 0 })
  for (const doing of ['transcriptions', 'streams'] as const)
    assert.equal(await heardBy(doing), 'INSUFFICIENT_CREDITS')
})

test("a provider alone is its first of the set, else its manifest's own (S-330, SD-74)", async () => {
  const { heardBy } = await asker(lentKeys)
  assert.equal(await heardBy('transcriptions', { model: 'deepgram' }), 'deepgram/nova-3')
  assert.equal(await heardBy('transcriptions', { model: 'openai' }), 'openai/gpt-transcribe')
  assert.equal(await heardBy('transcriptions', { model: 'soniox' }), 'soniox/stt-async-v5')
  assert.equal(await heardBy('streams', { model: 'soniox' }), 'soniox/stt-rt-v5')
  assert.equal(await heardBy('transcriptions', { model: 'tells' }), 'tells/tells-stt-1')
  assert.equal(await heardBy('transcriptions', { model: 'local' }), 'local/moonshine-tiny')
})

test('any other model that is priced or listed may be named (S-329, SD-74, SD-77)', async () => {
  const { heardBy } = await asker(lentKeys, 'tells')
  await changeRow(lentKeys, (row) => void (row.models['stt/tells'] = ['tells-unpriced']))
  assert.equal(
    await heardBy('transcriptions', { model: 'openai/gpt-4o-transcribe' }),
    'openai/gpt-4o-transcribe',
  )
  assert.equal(await heardBy('streams', { model: 'deepgram/flux-general-en' }), 'deepgram/flux-general-en')
  assert.equal(await heardBy('transcriptions', { model: 'tells/tells-unpriced' }), 'tells/tells-unpriced')
  assert.equal(await heardBy('streams', { model: 'tells/tells-unpriced' }), 'BAD_MODEL')
})

test('a model that does not exist, or of a vendor that is not here, is BAD_MODEL (S-442, SD-69, SD-74)', async () => {
  const { refuses } = await asker(lentKeys)
  for (const doing of ['transcriptions', 'streams'] as const) {
    await refuses(doing, { model: 'nosuch' }, 'BAD_MODEL', '`model`: this build has no plugin for nosuch')
    await refuses(doing, { model: 'nosuch/x' }, 'BAD_MODEL', '`model`: this build has no plugin for nosuch')
    const speaksAlone = '`model`: this build has no plugin for cartesia that does stt'
    await refuses(doing, { model: 'cartesia/sonic-3' }, 'BAD_MODEL', speaksAlone)
    await refuses(doing, { model: 'deepgram/x' }, 'BAD_MODEL', '`model`: deepgram has no model x here')
    await refuses(doing, { model: 'deepgram/' }, 'BAD_MODEL', '`model`: deepgram has no model  here')
  }
})

test('what only listens live hears no recording, and what does not, no stream (SD-74, SD-77)', async () => {
  const { refuses, heardBy } = await asker(lentKeys)
  const model = 'livealone/livealone-stt-1'
  await refuses('transcriptions', { model }, 'BAD_MODEL', '`model`: livealone listens live alone')
  assert.equal(await heardBy('streams', { model }), model)
  const whisper = { model: 'openai/whisper-1' }
  await refuses('streams', whisper, 'BAD_MODEL', '`model`: openai/whisper-1 does not listen live')
})

test("a model that the org's plan does not allow is BAD_MODEL before its diarize is judged (S-388, SD-69)", async () => {
  const { refuses, heardBy, server, org } = await asker(lentKeys)
  const words = { model: 'tells/tells-rich', diarize: true }
  assert.equal(await heardBy('transcriptions', words), words.model)
  await server.account(org, { plan: 'free' })
  const error = "`model`: the org's plan does not allow tells/tells-rich"
  for (const doing of ['transcriptions', 'streams'] as const) await refuses(doing, words, 'BAD_MODEL', error)
  assert.equal(await heardBy('transcriptions'), 'deepgram/nova-3')
})

test('diarize is refused if the model transcribes recordings without it (S-443, SD-67, ST-107)', async () => {
  const { refuses, ask } = await asker(lentKeys)
  for (const model of ['openai/whisper-1', 'deepgram/flux-general-en', 'batchalone/batchalone-stt-1'])
    await refuses(
      'transcriptions',
      { model, diarize: true },
      'DIARIZE_UNSUPPORTED',
      `\`diarize\`: ${model} does not tell speakers apart here`,
    )
  const { grant } = await ask('transcriptions', { model: 'deepgram/nova-2', diarize: true, language: 'es' })
  assert.deepEqual(grant?.knobs, { language: 'es', diarize: true })
})

test('live, diarize is for the two models of the set that can, and no other (S-348, SD-77, ST-107)', async () => {
  const { refuses, heardBy } = await asker(lentKeys)
  for (const model of ['deepgram/nova-3', 'soniox/stt-rt-v5'])
    assert.equal(await heardBy('streams', { model, diarize: true }), model)
  for (const model of ['gladia/solaria-1', 'deepgram/nova-2', 'tells/tells-stt-1'])
    await refuses(
      'streams',
      { model, diarize: true },
      'DIARIZE_UNSUPPORTED',
      `\`diarize\`: ${model} does not tell speakers apart here`,
    )
})

test('diarize is judged before a missing key, and a missing key before credits (SD-67)', async () => {
  const { heardBy, server, org } = await asker(deployment)
  await server.account(org, { credits: 0 })
  const model = 'openai/whisper-1'
  assert.equal(await heardBy('transcriptions', { model, diarize: true }), 'DIARIZE_UNSUPPORTED')
  assert.equal(await heardBy('transcriptions', { model }), 'BAD_MODEL')
  assert.equal(await heardBy('transcriptions', { model: 'tells' }), 'INSUFFICIENT_CREDITS')
})
