import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Stage } from '@switchroom/contract/stages'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { manifestOf, rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const two = { fields: ['api_key', 'region'], key: 'api_key', needs: ['api_key', 'region'] }
const folder = new VendorFolder()
  .add(manifestOf('lender', ['stt', 'tts']))
  .add(manifestOf('dash-name', ['tts'], { credentials: { fields: ['token'], key: 'token' } }))
  .add(manifestOf('private', ['tts', 'llm']))
  .add(manifestOf('keyless', ['tts']))
  .add(manifestOf('double', ['tts'], { credentials: two }))
  .add(manifestOf('house', ['llm'], { credentials: { fields: [] } }))
const rates = [
  rateOf('tts', 'lender', true),
  rateOf('stt', 'lender', false),
  rateOf('tts', 'dash-name', true),
  rateOf('tts', 'private', false),
  rateOf('tts', 'keyless', true),
  rateOf('tts', 'double', true),
]
const mark = 'sk-mark-of-the-platform'
const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  SVC_PROVIDER_KEY_LENDER: mark,
  SVC_PROVIDER_KEY_DASH_NAME: mark,
  SVC_PROVIDER_KEY_PRIVATE: mark,
  SVC_PROVIDER_KEY_DOUBLE: mark,
  SVC_PROVIDER_KEY_HOUSE: mark,
  SVC_PROVIDER_KEY_NOBODY: mark,
  SVC_PROVIDER_KEY_KEYLESS: ' ',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { lentKeys } = deployment.gateway.services
const named = ({ id, slug }: TestOrg) => ({ org: id, slug, env: 'sandbox' }) as const
const keyFor = (org: TestOrg, service: Stage, vendor: string) =>
  lentKeys.keyFor(named(org), service, { vendor })
const lends = (org: TestOrg, service: Stage, vendor: string) => lentKeys.lends(named(org), service, vendor)
const none = { from: 'none', credentials: null }

test('a vendor is lent for a service when the platform holds its key and the rates manage it (SD-48)', async () => {
  const org = await deployment.newOrg()
  assert.deepEqual(await keyFor(org, 'tts', 'lender'), { from: 'lent', credentials: { api_key: mark } })
  assert.deepEqual(await keyFor(org, 'tts', 'dash-name'), { from: 'lent', credentials: { token: mark } })
  assert.deepEqual(await keyFor(org, 'stt', 'lender'), none)
  assert.deepEqual(await keyFor(org, 'llm', 'lender'), none)
  assert.deepEqual(await keyFor(org, 'tts', 'keyless'), none)
  assert.deepEqual(await keyFor(org, 'tts', 'nosuch'), none)
  assert.equal(await lends(org, 'tts', 'lender'), true)
  assert.equal(await lends(org, 'stt', 'lender'), false)
})

test('a vendor without a managed record is never lent, whatever keys the operator set (S-385, SD-48, ST-078)', async () => {
  const org = await deployment.newOrg()
  for (const service of ['tts', 'llm'] as const) assert.deepEqual(await keyFor(org, service, 'private'), none)
  const { client } = await org.person('manager')
  const { providers } = (await client.get('/v1/providers')).body
  const entry = providers.find(({ name }: { name: string }) => name === 'private')
  assert.equal(entry.availability, 'bring your own')
})

test('a vendor without a key is lent to everybody at no price (SD-48, SD-65, SD-80)', async () => {
  assert.deepEqual(await keyFor(await deployment.newOrg(), 'llm', 'house'), {
    from: 'lent',
    credentials: {},
  })
})

test("the org's own key comes before the platform's, for every service of the vendor, until it is taken back (S-249, S-382, SD-48)", async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('manager')
  await client.put('/v1/provider-keys/lender', { key: 'sk-own' })
  const own = { from: 'own', credentials: { api_key: 'sk-own' } }
  for (const service of ['stt', 'tts'] as const) assert.deepEqual(await keyFor(org, service, 'lender'), own)
  await client.delete('/v1/provider-keys/lender')
  assert.deepEqual(await keyFor(org, 'tts', 'lender'), { from: 'lent', credentials: { api_key: mark } })
})

test('the row withholds a vendor from orgs named by id or slug, or from all (SD-48, SD-49)', async () => {
  const [byId, bySlug, free] = [
    await deployment.newOrg(),
    await deployment.newOrg(),
    await deployment.newOrg(),
  ]
  const from = async (vendor: 'lender' | 'house', service: Stage) =>
    Promise.all([byId, bySlug, free].map((org) => lends(org, service, vendor)))
  const withhold = (withheld: Record<string, string | string[]>) =>
    changeRow(deployment, (row) => void (row.withheld = withheld))
  await withhold({ lender: [byId.id, bySlug.slug], house: [bySlug.id] })
  assert.deepEqual(await from('lender', 'tts'), [false, false, true])
  assert.deepEqual(await from('house', 'llm'), [true, false, true])
  await withhold({ lender: 'all', house: 'all' })
  assert.deepEqual(await from('lender', 'tts'), [false, false, false])
  assert.deepEqual(await from('house', 'llm'), [false, false, false])
  await withhold({})
  assert.deepEqual(await from('lender', 'tts'), [true, true, true])
})

test('what is lent follows the rate table as its file changes (S-376, SD-48, SD-49)', async () => {
  const org = await deployment.newOrg()
  folder.write('rates.json', [...rates.slice(1), rateOf('stt', 'private', false)])
  assert.equal(await lends(org, 'tts', 'lender'), false)
  folder.write('rates.json', [rateOf('stt', 'lender', true)])
  assert.deepEqual([await lends(org, 'tts', 'lender'), await lends(org, 'stt', 'lender')], [false, true])
  folder.write('rates.json', rates)
  assert.equal(await lends(org, 'tts', 'lender'), true)
})

test('one key cannot lend a vendor that needs several fields, and keys that lend nothing are logged at start without a value (SD-48)', async () => {
  assert.deepEqual(await keyFor(await deployment.newOrg(), 'tts', 'double'), none)
  assert.deepEqual(lentKeys.uselessKeys().toSorted(), [
    'SVC_PROVIDER_KEY_DOUBLE lends nothing: double needs region as well',
    'SVC_PROVIDER_KEY_HOUSE lends nothing: house runs without a key',
    'SVC_PROVIDER_KEY_NOBODY lends nothing: no vendor of that name is installed',
  ])
  for (const sentence of lentKeys.uselessKeys()) assert.ok(deployment.log().includes(sentence))
  assert.ok(!deployment.log().includes(mark))
})
