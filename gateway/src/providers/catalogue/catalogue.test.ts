import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Catalogue } from '@switchroom/contract/providers'
import type { Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { manifestOf, rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const speaker = manifestOf('zz-speaker', ['tts'])
const lister = manifestOf('lister', ['tts'])
if (lister.stages.tts) lister.stages.tts.lists_voices = true

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const ageing = manifestOf('ageing', ['llm', 'tts'])
Object.assign(ageing.stages.llm ?? {}, { retires: { soon: day(59), later: day(62), gone: day(-3) } })
Object.assign(ageing.stages.tts ?? {}, { retires: { hoarse: day(10) } })

const folder = new VendorFolder()
  .add(speaker)
  .add(lister)
  .add(manifestOf('lender', ['stt', 'tts']))
  .add(manifestOf('house', ['llm', 'tts'], { credentials: { fields: [] } }))
  .add(manifestOf('torn', ['tts']), `throw new Error('line one\\nof ' + import.meta.filename)`)
  .add(manifestOf('lacking', ['tts']), `import 'no-such-package-anywhere'; export default { voice() {} }`)
  .add(manifestOf('mute', ['tts']), `export default { transcriber() {} }`)
  .add({ name: 'unread' })
  .add(ageing)
const rates = [rateOf('tts', 'lender', true), rateOf('stt', 'lender', false), rateOf('tts', 'torn', true)]
const settings = {
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  SVC_PROVIDER_KEY_LENDER: 'sk-of-the-platform',
}
const deployment = await startDeployment(settings)
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const newClient = async () => (await (await deployment.newOrg()).person('manager')).client
const catalogue = async (client: Client): Promise<Catalogue> => (await client.get('/v1/providers')).body
const entry = async (client: Client, name: string) => {
  const found = (await catalogue(client)).providers.find((vendor) => vendor.name === name)
  assert.ok(found, `${name} is not listed`)
  return found
}
const availability = async (client: Client, name: string) => (await entry(client, name)).availability

test('nothing of a vendor is loaded before a person asks (SD-46)', async () => {
  const client = await newClient()
  await client.get('/v1/provider-keys')
  assert.equal(folder.isLoaded('lender'), false)
  await catalogue(client)
  assert.equal(folder.isLoaded('lender'), true)
})

test('the catalogue is the vendors by name, and the defaults and models of the row (S-108, S-109, S-110, S-243, SD-50)', async () => {
  const client = await newClient()
  const { body } = await client.get('/v1/providers')
  assert.deepEqual(Object.keys(body).toSorted(), ['defaults', 'models', 'providers'])
  assert.deepEqual(Object.keys(body.defaults), ['llm', 'stt', 'tts'])
  const names = body.providers.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, names.toSorted())
  assert.deepEqual(await entry(client, 'lender'), {
    name: 'lender',
    does: ['stt', 'tts'],
    availability: 'offered',
    ready: true,
    broken: null,
    voices_listed: false,
  })
  for (const vendor of body.providers) {
    assert.ok(['yours', 'offered', 'bring your own', 'broken'].includes(vendor.availability))
    assert.equal(vendor.ready, vendor.availability === 'yours' || vendor.availability === 'offered')
    assert.equal(vendor.broken === null, vendor.availability !== 'broken')
  }
})

test('a vendor is yours, offered, bring your own or broken, and nothing else (S-140)', async () => {
  const client = await newClient()
  await client.put('/v1/provider-keys/zz-speaker', { key: 'sk-own' })
  const states = new Map(
    (await catalogue(client)).providers.map((vendor) => [vendor.name, vendor.availability]),
  )
  assert.deepEqual(
    ['zz-speaker', 'lender', 'lister', 'torn'].map((name) => states.get(name)),
    ['yours', 'offered', 'bring your own', 'broken'],
  )
  assert.equal(new Set(states.values()).size, 4)
})

test('defaults and models follow the row, models of installed vendors and what they do alone (S-244, SD-50)', async () => {
  const client = await newClient()
  const models = { 'tts/lender': ['loud'], 'llm/lender': ['x'], 'tts/gone': ['x'], 'tts/unread': ['x'] }
  await changeRow(deployment, (row) => {
    row.defaults.tts = 'lender'
    row.models = models
  })
  const { defaults, models: shown } = await catalogue(client)
  assert.equal(defaults.tts, 'lender')
  assert.deepEqual(shown, { 'tts/lender': ['loud'] })
})

test("a vendor is the org's own with its key, else offered if it is lent, else for the org to bring (S-012, S-111, S-112, S-113, S-115, SD-49)", async () => {
  const client = await newClient()
  assert.equal(await availability(client, 'zz-speaker'), 'bring your own')
  assert.equal(await availability(client, 'house'), 'offered')
  for (const [name, before] of [
    ['lender', 'offered'],
    ['zz-speaker', 'bring your own'],
  ] as const) {
    assert.equal(await availability(client, name), before)
    await client.put(`/v1/provider-keys/${name}`, { key: 'sk-own' })
    assert.deepEqual([await availability(client, name), (await entry(client, name)).ready], ['yours', true])
    assert.equal(await availability(await newClient(), name), before)
    await client.delete(`/v1/provider-keys/${name}`)
    assert.equal(await availability(client, name), before)
  }
})

test('a vendor that does not load is listed as broken with one line that says why, key or no key (S-114, S-116, SD-46, SD-49)', async () => {
  const client = await newClient()
  await client.put('/v1/provider-keys/torn', { key: 'sk-own' })
  const torn = await entry(client, 'torn')
  assert.deepEqual([torn.availability, torn.ready, torn.does], ['broken', false, ['tts']])
  assert.equal(torn.broken, 'line one of adapter.js')
  assert.match(String((await entry(client, 'lacking')).broken), /^Cannot find package 'no-such-package-any/)
  assert.equal((await entry(client, 'mute')).broken, 'its adapter has no voice for tts')
  const unread = await entry(client, 'unread')
  assert.deepEqual([unread.availability, unread.does, unread.voices_listed], ['broken', [], false])
  assert.match(String(unread.broken), /^svcVendor/)
  const { text } = await client.get('/v1/providers')
  assert.ok(!text.includes(folder.path), 'the answer names a folder of the machine')
})

test('voices are listed of a vendor that speaks, if the row or its plugin lists them (S-117, SD-50)', async () => {
  const client = await newClient()
  const listed = async (name: string) => (await entry(client, name)).voices_listed
  assert.equal(await listed('lister'), true)
  assert.equal(await listed('zz-speaker'), false)
  await changeRow(deployment, (row) => {
    row.voices = { 'zz-speaker': { en: [] }, torn: { en: ['ann'] }, lender: { en: ['ann'] } }
  })
  assert.equal(await listed('zz-speaker'), false)
  assert.equal(await listed('lender'), true)
  assert.equal(await listed('torn'), false)
  const { client: admin } = await (await deployment.newOrg()).person('admin')
  for (const { name, voices_listed, broken } of (await catalogue(admin)).providers) {
    if (broken !== null) continue // SD-61 reads out the row's voices of a vendor that does not load
    const { status } = await admin.get(`/v1/voices?tts=${name}`)
    assert.equal(status !== 404, voices_listed, `${name} is ${status}`)
  }
})

test('a vendor is there once its package is, and gone with it (S-118, S-119, SD-46)', async () => {
  using theirs = new VendorFolder().add(manifestOf('newcomer', ['llm']))
  const { key } = await (await deployment.newOrg()).person('manager')
  const names = async () => {
    await using there = await deployment.another({ SVC_VENDOR_FOLDERS: theirs.path })
    return (await catalogue(there.anonymous.as(key))).providers.map(({ name }) => name)
  }
  assert.ok((await names()).includes('newcomer'))
  theirs.remove('newcomer')
  assert.ok(!(await names()).includes('newcomer'))
})

test('a key brought at one gateway is seen at once by another (SD-49)', async () => {
  const { key, client } = await (await deployment.newOrg()).person('manager')
  await using other = await deployment.another()
  await client.put('/v1/provider-keys/lender', { key: 'sk-own' })
  assert.equal(await availability(other.anonymous.as(key), 'lender'), 'yours')
  await client.delete('/v1/provider-keys/lender')
  assert.equal(await availability(other.anonymous.as(key), 'lender'), 'offered')
})

test('a vendor that switches models off within sixty days says which and when, the earliest first', async () => {
  const client = await newClient()
  assert.deepEqual((await entry(client, 'ageing')).retiring, [
    { stage: 'llm', model: 'gone', on: day(-3) },
    { stage: 'tts', model: 'hoarse', on: day(10) },
    { stage: 'llm', model: 'soon', on: day(59) },
  ])
})
