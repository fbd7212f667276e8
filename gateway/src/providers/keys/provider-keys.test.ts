import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type TestOrg, type TestPerson } from '../../../testing/deployment.ts'
import { manifestOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'

const folder = new VendorFolder()
  .add(manifestOf('mind', ['llm']))
  .add(manifestOf('ear-1', ['stt', 'tts'], { credentials: { fields: ['token'], key: 'token' } }))
  .add(
    manifestOf('double', ['tts'], {
      credentials: { fields: ['api_key', 'region'], key: 'api_key', needs: ['api_key', 'region'] },
    }),
  )
  .add(manifestOf('many', ['tts'], { credentials: { fields: 'abcdefghi'.split(''), key: 'a' } }))
  .add(manifestOf('house', ['tts'], { credentials: { fields: [] } }))
  .add({ name: 'unread' })
const deployment = await startDeployment({ SVC_VENDOR_FOLDERS: folder.path })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { providerKeys } = deployment.gateway.services
const path = (vendor: string) => `/v1/provider-keys/${vendor}`
const bring = ({ client }: TestPerson, vendor: string, body: unknown) => client.put(path(vendor), body)
const listed = async ({ client }: TestPerson) => (await client.get('/v1/provider-keys')).body

const inSandbox = ({ id }: TestOrg) => ({ org: id, env: 'sandbox' }) as const

async function newManager() {
  const org = await deployment.newOrg()
  return { org, manager: await org.person('manager') }
}

test('an org brings keys and credentials, and reads names alone, ascending (S-011, S-245, S-246, S-247, SD-51)', async () => {
  const { org, manager } = await newManager()
  assert.deepEqual(await listed(manager), { vendors: [] })
  const first = await bring(manager, 'mind', { key: 'sk-one' })
  assert.deepEqual([first.status, first.body], [200, { vendors: ['mind'] }])
  const second = await bring(manager, 'double', { credentials: { api_key: 'k', region: 'eu' } })
  assert.deepEqual([second.status, second.body], [200, { vendors: ['double', 'mind'] }])
  assert.deepEqual(await listed(manager), { vendors: ['double', 'mind'] })
  assert.deepEqual(await providerKeys.credentialsOf(inSandbox(org), 'mind'), { api_key: 'sk-one' })
  assert.deepEqual(await providerKeys.credentialsOf(inSandbox(org), 'double'), { api_key: 'k', region: 'eu' })
  assert.equal(await providerKeys.credentialsOf(inSandbox(org), 'house'), null)
})

test('a PUT replaces everything that was brought for the vendor (SD-51)', async () => {
  const { org, manager } = await newManager()
  await bring(manager, 'double', { credentials: { api_key: 'k', region: 'eu', language: 'en' } })
  await bring(manager, 'double', { credentials: { api_key: 'l', region: 'us' } })
  assert.deepEqual(await providerKeys.credentialsOf(inSandbox(org), 'double'), { api_key: 'l', region: 'us' })
})

test("a key is its org's alone, in both environments and for all that the vendor does (S-382, SD-51, ST-080)", async () => {
  const { org, manager } = await newManager()
  const stranger = await newManager()
  await bring(manager, 'ear-1', { key: 'tok' })
  assert.deepEqual(await listed(stranger.manager), { vendors: [] })
  refused(await stranger.manager.client.delete(path('ear-1')), 404, 'this org brought no key for ear-1')
  const { client } = await org.person('admin')
  assert.deepEqual((await client.in('production').get('/v1/provider-keys')).body, { vendors: ['ear-1'] })
  const { lentKeys } = deployment.gateway.services
  for (const service of ['stt', 'tts'] as const)
    assert.deepEqual(
      await lentKeys.keyFor({ ...inSandbox(org), slug: org.slug }, service, { vendor: 'ear-1' }),
      {
        from: 'own',
        credentials: { token: 'tok' },
      },
    )
})

test('DELETE is 204, and 404 when the org brought none (S-250, S-430, SD-51)', async () => {
  const { org, manager } = await newManager()
  await bring(manager, 'mind', { key: 'sk-one' })
  const gone = await manager.client.delete(path('mind'))
  assert.deepEqual([gone.status, gone.text], [204, ''])
  assert.deepEqual(await listed(manager), { vendors: [] })
  assert.equal(await providerKeys.has(inSandbox(org), 'mind'), false)
  refused(await manager.client.delete(path('mind')), 404, 'this org brought no key for mind')
  refused(await manager.client.delete(path('nosuch')), 404, 'this org brought no key for nosuch')
})

test('a vendor this build lacks is 400, one that runs without a key too, and a broken one takes a key (S-416, SD-51)', async () => {
  const { org, manager } = await newManager()
  refused(await bring(manager, 'nosuch', { key: 'k' }), 400, 'this build has no plugin for nosuch')
  refused(
    await bring(manager, 'house', { key: 'k' }),
    400,
    'house runs without a key, so there is none to bring',
  )
  assert.equal((await bring(manager, 'unread', { key: 'k' })).status, 200)
  assert.deepEqual(await providerKeys.credentialsOf(inSandbox(org), 'unread'), { api_key: 'k' })
})

test('what is not secrets alone is 400, what is of another shape 422, and then nothing is kept (S-424, SD-02, SD-51, SD-52, ST-076, ST-077)', async () => {
  const { manager } = await newManager()
  const mark = 'https://mark.example'
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, 'x']))
  const refusals: [unknown, string][] = [
    [{}, 'bring either key or credentials, and not both'],
    [{ key: 'k', credentials: { api_key: 'k' } }, 'bring either key or credentials, and not both'],
    [{ key: ' ' }, 'key is 1 to 1024 characters and not blank'],
    [{ credentials: {} }, 'credentials are 1 to 8 fields'],
    [{ credentials: nine }, 'credentials are 1 to 8 fields'],
    [{ credentials: { nosuch: mark } }, 'credentials.nosuch: mind takes no such field'],
    [
      { credentials: { api_key: 'k', base_url: mark } },
      "credentials.base_url is the operator's to set: credentials are secrets alone",
    ],
    [
      { credentials: { api_key: null } },
      'credentials.api_key is a text of 1 to 1024 characters that is not blank, a number, or true or false',
    ],
  ]
  for (const [body, sentence] of refusals) {
    const answer = await bring(manager, 'mind', body)
    refused(answer, 400, sentence)
    assert.ok(!answer.text.includes('mark.example'))
  }
  refused(await bring(manager, 'mind', { key: 1 }), 422, 'key: must be a string')
  refused(await bring(manager, 'mind', { credentials: ['k'] }), 422, 'credentials: must be an object')
  refused(await bring(manager, 'mind', undefined), 422, 'body: must be a JSON object')
  assert.deepEqual(await listed(manager), { vendors: [] })
})

test('credentials are at most eight fields, each a short scalar (S-468, SD-52, ST-077)', async () => {
  const { org, manager } = await newManager()
  const longest = '🔑'.repeat(1024)
  const eight = { a: longest, b: 'b', c: 'c', d: 0, e: -1.5, f: true, g: false, h: 'h' }
  assert.equal((await bring(manager, 'many', { credentials: eight })).status, 200)
  const tooMany = await bring(manager, 'many', { credentials: { ...eight, i: 'i' } })
  refused(tooMany, 400, 'credentials are 1 to 8 fields')
  for (const b of [`${longest}x`, ' ', null, ['b'], { b: 'b' }])
    refused(
      await bring(manager, 'many', { credentials: { a: 'a', b } }),
      400,
      'credentials.b is a text of 1 to 1024 characters that is not blank, a number, or true or false',
    )
  assert.deepEqual(await providerKeys.credentialsOf(inSandbox(org), 'many'), eight)
})

test('the four endpoints take a key that opens providers (S-242, S-363)', async () => {
  const { org, manager } = await newManager()
  const { client } = await org.person('developer')
  const opens = /^this key does not open providers: it opens/
  refused(await client.get('/v1/providers'), 403, opens)
  refused(await client.get('/v1/provider-keys'), 403, opens)
  refused(await client.put(path('mind'), { key: 'k' }), 403, opens)
  refused(await client.delete(path('mind')), 403, opens)
  assert.equal((await manager.client.get('/v1/providers')).status, 200)
})

test('nothing of a vendor is loaded when a key is brought, so nothing is asked of it (ST-072, SD-51)', async () => {
  const { manager } = await newManager()
  using own = new VendorFolder().add(manifestOf('hanging', ['llm']))
  await using lone = await deployment.another({ SVC_VENDOR_FOLDERS: own.path })
  assert.equal((await lone.anonymous.as(manager.key).put(path('hanging'), { key: 'hang' })).status, 200)
  assert.equal(own.isLoaded('hanging'), false)
})

test('a key of a vendor that is gone stays listed and can be taken back (SD-49)', async () => {
  const { manager } = await newManager()
  await bring(manager, 'mind', { key: 'k' })
  await using bare = await deployment.another({ SVC_VENDOR_FOLDERS: '' })
  const client = bare.anonymous.as(manager.key)
  refused(await client.put(path('mind'), { key: 'l' }), 400, 'this build has no plugin for mind')
  assert.deepEqual((await client.get('/v1/provider-keys')).body, { vendors: ['mind'] })
  assert.equal((await client.delete(path('mind'))).status, 204)
})

test('of keys brought concurrently the last one is stored whole, on every gateway (SD-51)', async () => {
  const { org, manager } = await newManager()
  await using other = await deployment.another()
  const there = other.anonymous.as(manager.key)
  for (let round = 0; round < 5; round += 1) {
    const pairs = Array.from({ length: 6 }, (_, i) => ({ api_key: `k${i}`, region: `r${i}` }))
    await Promise.all(
      pairs.map((credentials, i) => (i % 2 ? there : manager.client).put(path('double'), { credentials })),
    )
    const kept = await providerKeys.credentialsOf(inSandbox(org), 'double')
    assert.ok(pairs.some((pair) => JSON.stringify(pair) === JSON.stringify(kept)))
    assert.deepEqual(await other.gateway.services.providerKeys.credentialsOf(inSandbox(org), 'double'), kept)
  }
  await there.delete(path('double'))
  assert.deepEqual(await listed(manager), { vendors: [] })
})

test('keys are sealed at rest, each under a nonce of its own and for its own row (S-257, S-261, SD-53)', async () => {
  const { org, manager } = await newManager()
  const mark = 'sk-mark-4f1c9e72aa'
  await bring(manager, 'mind', { key: mark })
  await bring(manager, 'ear-1', { key: mark })
  await bring(manager, 'double', { credentials: { api_key: `${mark}-2`, region: 'eu' } })
  refused(await bring(manager, 'double', { key: mark }), 400, /^double needs more than a key/)

  const forms = ['utf8', 'base64', 'base64url', 'hex'] as const
  const marks = forms.map((form) => Buffer.from(mark).toString(form).replace(/.?=+$/, ''))
  const tables = await deployment.sql(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  for (const { name } of tables.rows) {
    const { rows } = await deployment.sql(`select t::text as text from ${name} t`)
    const bytes = await deployment.sql(`select to_jsonb(t) as row from ${name} t`)
    const dump = JSON.stringify([rows, bytes.rows])
    const raw = dump.replaceAll(/\\\\+x([0-9a-f]+)/g, (_, hex: string) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    )
    for (const form of marks) assert.ok(!dump.includes(form) && !raw.includes(form), `${name} holds the key`)
  }

  const { rows } = await deployment.sql('select vendor, sealed from provider_keys where org = $1', [org.id])
  const sealed = new Map(rows.map((row) => [row.vendor, row.sealed as Buffer]))
  assert.equal(sealed.size, 3)
  assert.notDeepEqual(sealed.get('mind')?.subarray(0, 12), sealed.get('ear-1')?.subarray(0, 12))
  await deployment.sql(`update provider_keys set sealed = $2 where org = $1 and vendor = 'ear-1'`, [
    org.id,
    sealed.get('mind'),
  ])
  await assert.rejects(providerKeys.credentialsOf(inSandbox(org), 'ear-1'))

  const { client } = await org.person('admin')
  for (const { method, path: declared } of deployment.gateway.server.routes.all) {
    if (method !== 'GET') continue
    const { text } = await client.get(declared.replaceAll(/:\w+/g, 'mind'))
    assert.ok(!text.includes(mark), declared)
  }
  assert.ok(!deployment.log().includes(mark))
})
