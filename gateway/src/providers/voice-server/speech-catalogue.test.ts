import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'
import {
  listingAdapter,
  speechManifest,
  voiceEntry,
  VoiceServer,
} from '../../../testing/providers/voice-server.ts'
import { minuteMs } from '../../foundation/clock.ts'

const listed = [
  voiceEntry('v2', 'Zeno', 'pt-PT'),
  voiceEntry('v1', 'Ana Lee', 'en-GB'),
  voiceEntry('v3', 'Ana Lee'),
]
const fake = await startWireFake({
  refusal: (words) => ({ message: words }),
  http: (_request, answer) => answer.json(listed),
})
const lists = { tts: { lists_voices: true } } as Parameters<typeof speechManifest>[1]
const folder = new VendorFolder()
  .add(speechManifest('offered', lists), listingAdapter)
  .add(speechManifest('brought', lists), listingAdapter)
  .add(speechManifest('rowonly'))
const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', [rateOf('tts', 'offered', true), rateOf('tts', 'brought', false)]),
  SVC_PROVIDER_KEY_OFFERED: 'sk-of-the-platform',
  SVC_SAMPLE_TIMEOUT_S: '5',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await fake.stop()
  folder[Symbol.dispose]()
})
await changeRow(deployment, (row) => {
  for (const name of ['offered', 'brought']) row.options[`tts/${name}`] = { base_url: fake.url }
  row.voices = {
    brought: { en: ['rowed'] },
    rowonly: {
      en: [{ id: 'many', name: 'Many Tongues' }, 'B'],
      es: [{ id: 'many', name: 'Many Tongues', language: 'es-MX' }],
    },
  }
})
const voiceServer = new VoiceServer(deployment)
const org = await deployment.newOrg()
const names = async (query: Record<string, string> = {}, of = org) =>
  (await voiceServer.voices(of, query)).map(({ provider, alias }) => `${provider}/${alias}`)
const unknown = { description: null, gender: null, country: null, accent: null }

test('a voice is listed with its vendor, its alias and every language it speaks (S-322, SD-73)', async () => {
  assert.deepEqual(await voiceServer.voices(org, { provider: 'rowonly' }), [
    { provider: 'rowonly', alias: 'b', id: 'B', name: 'B', languages: ['en'], ...unknown },
    {
      provider: 'rowonly',
      alias: 'many-tongues',
      id: 'many',
      name: 'Many Tongues',
      languages: ['en', 'es-MX'],
      ...unknown,
    },
  ])
})

test("the row's voices are listed without a vendor key, the vendor's own list with one, by provider and name (S-324, SD-73)", async () => {
  assert.deepEqual(await names({ provider: 'offered' }), [
    'offered/ana-lee',
    'offered/ana-lee-2',
    'offered/zeno',
  ])
  assert.deepEqual(await names({ provider: 'brought' }), ['brought/rowed'])
  const other = await deployment.newOrg()
  await (await other.person('admin')).client.put('/v1/provider-keys/brought', { key: 'sk-own' })
  const seen = fake.seen.length
  assert.deepEqual(await names({ provider: 'brought' }, other), [
    'brought/ana-lee',
    'brought/ana-lee-2',
    'brought/zeno',
    'brought/rowed',
  ])
  assert.equal(fake.seen[seen]?.headers['authorization'], 'Bearer sk-own')
  const all = await until('the vendor that has to start first lists its own too', async () => {
    const providers = (await names()).map((name) => name.split('/')[0] ?? '')
    return providers.includes('local') && providers
  })
  assert.deepEqual(all, all.toSorted())
  for (const name of ['brought', 'offered', 'rowonly']) assert.ok(all.includes(name), name)
})

test('a language filters by its primary tag, and takes no alias away (S-325, SD-73)', async () => {
  assert.deepEqual(await names({ provider: 'offered', language: 'en' }), ['offered/ana-lee'])
  assert.deepEqual(await names({ provider: 'offered', language: 'pt-BR' }), ['offered/zeno'])
  assert.deepEqual(await names({ provider: 'rowonly', language: 'es' }), ['rowonly/many-tongues'])
})

test('an unknown provider or language has no voices (SD-73)', async () => {
  for (const query of [{ provider: 'nosuch' }, { provider: 'soniox' }, { language: 'xx' }])
    assert.deepEqual(await names(query), [])
})

test('every listed voice speaks by its alias and by its id, one and the same (S-323, SD-69, SD-73)', async () => {
  const { key_id } = await org.serverToken('sandbox')
  for (const { provider, alias, id } of await voiceServer.voices(org, { provider: 'offered' }))
    for (const word of [alias, id]) {
      const voice = `${provider}/${word}`
      const granted = await voiceServer.grant({ doing: 'speech', key_id, characters: 1, voice })
      assert.deepEqual([granted.vendor, granted.knobs['voice']], [provider, id])
    }
})

test('a vendor that does not answer is left out, and is heard of again when it does (SD-73)', async () => {
  await using other = await deployment.another()
  const server = new VoiceServer(other)
  const count = async () => (await server.voices(org, { provider: 'offered' })).length
  for (const mode of ['refuse', 'hang', 'garbage'] as const) {
    fake.mode = mode
    assert.equal(await count(), 0, mode)
    other.clock.forward(minuteMs)
  }
  fake.mode = 'answer'
  assert.equal(await count(), 3)
  fake.mode = 'refuse'
  other.clock.forward(6 * minuteMs)
  assert.equal(await count(), 3)
  fake.mode = 'answer'
})

test('a list that grew old is renewed for the next request (SD-73)', async () => {
  const count = async () => (await voiceServer.voices(org, { provider: 'offered' })).length
  assert.equal(await count(), 3)
  listed.push(voiceEntry('v4', 'Nova', 'en'))
  assert.equal(await count(), 3)
  deployment.clock.forward(6 * minuteMs)
  await until('the new voice is listed', async () => (await count()) === 4)
})

test('voices are listed for an org there is (SD-73)', async () => {
  refused(await voiceServer.client.get('/v1/voice/voices?org=org_nobody'), 404, 'there is no org org_nobody')
})
