import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { manifestOf, rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const voice = (id: string, language: string | null) => ({
  id,
  name: id,
  language,
  description: null,
  gender: null,
  country: null,
  accent: null,
})
const listed = [
  voice('a', 'en'),
  voice('b', 'en-GB'),
  voice('c', 'pt-PT'),
  voice('d', 'pt-BR'),
  voice('e', null),
]

const fake = await startWireFake({
  refusal: (words) => ({ message: words }),
  http: (_request, answer) => answer.json(listed),
})
after(() => fake.stop())

/** Asks the address its row names, with the key it was given. */
const listingAdapter = `
export default {
  voice() {},
  async voices({ keywords, credentials }, signal) {
    const headers = { authorization: 'Bearer ' + credentials.api_key }
    const answer = await fetch(keywords.base_url, { headers, signal })
    if (!answer.ok) throw new Error((await answer.json()).message)
    return answer.json()
  },
}
`
const vendors = new VendorFolder()
after(() => vendors[Symbol.dispose]())
const lister = manifestOf('lister', ['tts'])
if (lister.stages.tts) lister.stages.tts.lists_voices = true
vendors.add(lister, listingAdapter)
vendors.add({ ...lister, name: 'rowless' }, listingAdapter)
vendors.add(manifestOf('rowonly', ['tts']))
vendors.add(manifestOf('unlisted', ['tts']))
vendors.add(manifestOf('earsonly', ['stt']))

const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: vendors.path,
  SVC_RATES: vendors.write('rates.json', [rateOf('tts', 'lister', true)]),
  SVC_PROVIDER_KEY_LISTER: 'platform-mark',
  SVC_SAMPLE_TIMEOUT_S: '2',
})
after(() => deployment[Symbol.asyncDispose]())
await changeRow(deployment, (row) => {
  row.voices = {
    lister: { en: [voice('b', 'en-GB'), 'a'], pt: [{ id: 'x', name: 'Xisto', accent: 'lisboeta' }] },
    rowonly: { es: ['una', 'otra'] },
  }
  for (const name of ['lister', 'rowless']) row.options[`tts/${name}`] = { base_url: fake.url }
})
const org = await deployment.newOrg()
const { client } = await org.person('developer')
const ids = async (query: string) => {
  const answer = await client.get(`/v1/voices?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.voices.map(({ id }: { id: string }) => id)
}

test("the row's voices come first in the row's order, then the vendor's own, each once (S-263, S-265, S-266, ST-082)", async () => {
  const { body } = await client.get('/v1/voices?tts=lister&language=en')
  assert.deepEqual(Object.keys(body), ['tts', 'language', 'voices'])
  assert.deepEqual([body.tts, body.language], ['lister', 'en'])
  assert.deepEqual(await ids('tts=lister&language=en'), ['b', 'a', 'e'])
  assert.deepEqual(await ids('tts=lister'), ['b', 'a', 'x', 'c', 'd', 'e'])
})

test('a voice entry has seven fields, null if unknown (S-120, SD-61)', async () => {
  const { body } = await client.get('/v1/voices?tts=lister&language=pt')
  assert.deepEqual(body.voices[0], { ...voice('x', 'pt'), name: 'Xisto', accent: 'lisboeta' })
  for (const entry of body.voices)
    assert.deepEqual(Object.keys(entry), [
      'id',
      'name',
      'language',
      'description',
      'gender',
      'country',
      'accent',
    ])
})

test('the list is filtered by the primary tag, and a voice without a language speaks every one (S-264, ST-083, SD-61)', async () => {
  assert.deepEqual(await ids('tts=lister&language=pt-BR'), ['x', 'c', 'd', 'e'])
  const { body } = await client.get('/v1/voices?tts=lister&language=pt-BR')
  assert.equal(body.language, 'pt-BR')
  const unfiltered = await client.get('/v1/voices?tts=lister')
  assert.equal(unfiltered.body.language, null)
  refused(await client.get('/v1/voices?language=Portuguese'), 400, '`language` is a tag such as en or pt-BR')
})

test('the default vendor is asked if none is named (SD-61)', async () => {
  await changeRow(deployment, (row) => (row.defaults.tts = 'rowonly'))
  const { body } = await client.get('/v1/voices?language=es')
  assert.deepEqual([body.tts, body.voices.length], ['rowonly', 2])
})

test("the vendor's own voices are asked for on the key a call would use (S-267)", async () => {
  await ids('tts=lister')
  assert.equal(fake.seen.at(-1)?.headers.authorization, 'Bearer platform-mark')
  const other = await deployment.newOrg()
  const admin = (await other.person('admin')).client
  await admin.put('/v1/provider-keys/lister', { key: 'own-mark' })
  assert.equal((await admin.get('/v1/voices?tts=lister')).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, 'Bearer own-mark')
})

test('not installed is 400, listed by neither is 404 before any key is asked for (S-268, S-269, S-423, S-429, ST-081)', async () => {
  refused(await client.get('/v1/voices?tts=nosuch'), 400, 'this build has no plugin for nosuch')
  for (const name of ['unlisted', 'earsonly'])
    refused(
      await client.get(`/v1/voices?tts=${name}`),
      404,
      `${name} has no list of voices: name one that you know from the vendor`,
    )
})

test('without a key the row alone is listed, and if the row lists none, the refusal says that no key would run it (SD-61)', async () => {
  const asked = fake.seen.length
  assert.deepEqual(await ids('tts=rowonly'), ['una', 'otra'])
  await changeRow(deployment, (row) => (row.withheld = { lister: 'all' }))
  assert.deepEqual(await ids('tts=lister'), ['b', 'a', 'x'])
  await changeRow(deployment, (row) => (row.withheld = {}))
  const sentence = '`tts`: the platform lends this org no rowless, and the org brought no key for it'
  refused(await client.get('/v1/voices?tts=rowless'), 400, sentence)
  assert.equal(fake.seen.length, asked, 'no vendor was asked')
})

test('a vendor that refuses or does not answer is 502 in its words, without its key (SD-61, SD-53)', async () => {
  fake.mode = 'refuse'
  fake.words = 'platform-mark opens nothing'
  refused(await client.get('/v1/voices?tts=lister'), 502, 'lister did not answer: *** opens nothing')
  fake.mode = 'hang'
  refused(await client.get('/v1/voices?tts=lister'), 502, 'lister did not answer: no answer in time')
  fake.mode = 'answer'
})

test('voices need the scope pipeline, or a server token that opens app (S-262, S-364, SD-05)', async () => {
  const words = await org.person('supervisor')
  refused(await words.client.get('/v1/voices?tts=rowonly'), 403, /^this key does not open pipeline/)
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal((await ci.client.get('/v1/voices?tts=rowonly')).status, 200)
})

test('the catalogue says truly whose voices are listed (S-117, SD-50)', async () => {
  const admin = (await org.person('admin')).client
  const { body } = await admin.get('/v1/providers')
  const own = ['lister', 'rowless', 'rowonly', 'unlisted', 'earsonly']
  const entries = body.providers.filter(({ name }: { name: string }) => own.includes(name))
  assert.equal(entries.length, own.length)
  for (const { name, voices_listed: isListed } of entries)
    assert.equal((await admin.get(`/v1/voices?tts=${name}`)).status !== 404, isListed, name)
})
