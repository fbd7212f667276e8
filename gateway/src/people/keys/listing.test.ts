import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous } = deployment
const idOf = async (client: typeof anonymous) => (await client.get('/v1/whoami')).body.key_id as string
const listed = async (client: typeof anonymous) =>
  (await client.get('/v1/keys')).body.keys.map((key: { fingerprint: string }) => key.fingerprint) as string[]

test('a key entry has its eleven fields and never the key (I-013, I-101, I-102, I-103, I-104, I-105, I-106, I-107, I-108, I-109, I-110, I-111, ID-112, ID-113, ID-114, ID-115)', async () => {
  const org = await deployment.newOrg()
  const ana = await org.person('developer')
  const expires_at = '2099-01-01T00:00:00.000Z'
  const made = await ana.client.post('/v1/keys', {
    label: 'ci',
    env: 'production',
    scopes: ['calls'],
    expires_at,
  })
  refused(made, 403, 'A developer has no production access: an admin gives it in Team')
  const token = (
    await ana.client.post('/v1/keys', { label: 'ci', env: 'sandbox', scopes: ['calls'], expires_at })
  ).body
  await deployment.gateway.services.authentication.settled()
  const { text, body } = await ana.client.get('/v1/keys')
  assert.equal(text.includes(token.key) || text.includes(ana.key), false)
  const [own, server] = body.keys
  const { created_at, last_used_at, ...entry } = own
  for (const time of [created_at, last_used_at])
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(entry, {
    fingerprint: await idOf(ana.client),
    label: 'laptop',
    kind: 'person',
    env: 'sandbox',
    name: 'A developer',
    created_by: ana.id,
    revoked_at: null,
    expires_at: null,
    scopes: ['app', 'calls', 'talk', 'pipeline', 'words', 'knowledge', 'evals'],
  })
  assert.deepEqual(
    { ...server, created_at: '' },
    {
      fingerprint: token.key_id,
      label: 'ci',
      kind: 'server',
      env: 'sandbox',
      name: null,
      created_by: ana.id,
      created_at: '',
      last_used_at: null,
      revoked_at: null,
      expires_at,
      scopes: ['calls'],
    },
  )
})

test("everybody sees every server token and their own keys; the scope keys sees every person's, oldest first (I-003, I-319, I-320, I-321, I-322, I-469, ID-11, ID-116, T-26)", async () => {
  const org = await deployment.newOrg()
  const stranger = await (await deployment.newOrg()).person('manager')
  const ana = await org.person('developer')
  const bo = await org.person('qa')
  const token = (await ana.client.post('/v1/keys', { label: 'ci', env: 'sandbox' })).body
  const manager = await org.person('manager')
  const ids = { ana: await idOf(ana.client), bo: await idOf(bo.client), manager: await idOf(manager.client) }
  assert.deepEqual(await listed(ana.client), [ids.ana, token.key_id])
  assert.deepEqual(await listed(bo.client), [ids.bo, token.key_id])
  assert.deepEqual(await listed(anonymous.as(token.key)), [token.key_id])
  assert.deepEqual(await listed(manager.client), [ids.ana, ids.bo, token.key_id, ids.manager])
  assert.equal((await listed(stranger.client)).length, 1)
})

test('rows of removed members, revoked and copied keys stay listed (I-165, I-332, ID-116)', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const gone = await org.person('qa')
  const id = await idOf(gone.client)
  await admin.client.delete(`/v1/members/${gone.id}`)
  const { keys } = (await admin.client.get('/v1/keys')).body
  const entry = keys.find((key: { fingerprint: string }) => key.fingerprint === id)
  assert.deepEqual([entry.name, entry.scopes], ['A qa', []])
  assert.notEqual(entry.revoked_at, null)
})

test("a person's key that opens app makes server tokens of five scopes at most (I-018, I-323, I-324, I-327, I-328, I-333, I-334, I-335, I-336, I-337, I-459, I-468, I-483, I-524, ID-118, T-25, T-26)", async () => {
  const org = await deployment.newOrg()
  const ana = await org.person('admin')
  const make = (body: object, client = ana.client) =>
    client.post('/v1/keys', { label: 'ci', env: 'sandbox', ...body })
  const { status, body } = await make({ env: 'production' })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).toSorted(), [
    'env',
    'expires_at',
    'fingerprint',
    'key',
    'key_id',
    'label',
    'name',
    'org',
    'scopes',
    'subject',
  ])
  assert.deepEqual(body.scopes, ['app', 'calls', 'talk', 'knowledge', 'evals'])
  assert.deepEqual((await make({ scopes: ['evals', 'calls'] })).body.scopes, ['calls', 'evals'])
  const sentence = 'a server token opens app · calls · talk · knowledge · evals, and at least one of them'
  for (const scopes of [[], ['team'], ['pipeline'], ['calls', 'nonsense']])
    refused(await make({ scopes }), 400, sentence)
  const [manager, qa] = [await org.person('manager'), await org.person('qa')]
  refused(await make({}, manager.client), 403, /^this key does not open app: it opens calls/)
  refused(await make({}, qa.client), 403, 'this key does not open app: it opens calls · evals')
  refused(await make({}, anonymous.as(body.key)), 403, "this door takes a person's key")
})

test('a key ends itself, a maker the tokens they made and copies of them, the scope keys any key of the org (I-064, I-101, I-164, I-329, I-330, I-331, ID-119, ID-120)', async () => {
  const org = await deployment.newOrg()
  const [ana, manager] = [await org.person('developer'), await org.person('manager')]
  const make = async () => (await ana.client.post('/v1/keys', { label: 'ci', env: 'sandbox' })).body
  const end = (client: typeof anonymous, id: string) => client.post(`/v1/keys/${id}/revoke`)

  const own = await make()
  const ended = await end(anonymous.as(own.key), own.key_id)
  assert.deepEqual([ended.status, ended.body], [200, { fingerprint: own.key_id, revoked: true }])
  refused(await anonymous.as(own.key).get('/v1/whoami'), 401, 'this key opens nothing')

  const made = await make()
  const { code } = (await anonymous.as(made.key).post('/v1/login/codes')).body
  const copy = (await anonymous.post('/v1/login', { code })).body
  assert.equal((await end(ana.client, copy.key_id)).status, 200)
  assert.equal((await anonymous.as(made.key).get('/v1/whoami')).status, 200)
  assert.equal((await end(ana.client, made.key_id)).status, 200)
  assert.equal((await end(manager.client, await idOf(ana.client))).status, 200)
  refused(await ana.client.get('/v1/whoami'), 401, 'this key opens nothing')
})

test("what is not the org's, dead already, invented, or not yours to end is one 404, byte for byte (I-340, I-498, T-24, T-27)", async () => {
  const org = await deployment.newOrg()
  const [ana, bo] = [await org.person('developer'), await org.person('developer')]
  const foreign = await (await deployment.newOrg()).serverToken('sandbox')
  const bos = (await bo.client.post('/v1/keys', { label: 'ci', env: 'sandbox' })).body
  const dead = (await ana.client.post('/v1/keys', { label: 'ci', env: 'sandbox' })).body
  await ana.client.post(`/v1/keys/${dead.key_id}/revoke`)
  const ids = [foreign.key_id, dead.key_id, 'key_invented', bos.key_id, await idOf(bo.client)]
  const answers = await Promise.all(ids.map((id) => ana.client.post(`/v1/keys/${id}/revoke`)))
  for (const answer of answers) {
    refused(answer, 404, 'there is no such key')
    assert.equal(answer.text, answers[0]?.text)
  }
})

test('a token stays when its maker is disabled or loses production (ID-111, T-20)', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const maker = await org.person('developer', { production: true })
  const token = (await maker.client.post('/v1/keys', { label: 'ci', env: 'production' })).body
  await admin.client.patch(`/v1/members/${maker.id}`, { production: false })
  assert.equal((await anonymous.as(token.key).get('/v1/whoami')).status, 200)
  await admin.client.patch(`/v1/members/${maker.id}`, { status: 'disabled' })
  assert.equal((await anonymous.as(token.key).get('/v1/whoami')).status, 200)
  refused(await maker.client.get('/v1/whoami'), 401, 'this key opens nothing')
})

test('a copy made at the instant its source is ended is dead too, every time (ID-87, T-16)', async () => {
  const org = await deployment.newOrg()
  for (let round = 0; round < 10; round += 1) {
    const { client } = await org.person('qa')
    const id = await idOf(client)
    const { code } = (await client.post('/v1/login/codes')).body
    const [copied] = await Promise.all([
      anonymous.post('/v1/login', { code }),
      client.post(`/v1/keys/${id}/revoke`),
    ])
    if (copied.status !== 200) continue
    refused(await anonymous.as(copied.body.key).get('/v1/whoami'), 401, 'this key opens nothing')
    const { rows } = await deployment.sql('select revoked_at from keys where id = $1', [copied.body.key_id])
    assert.notEqual(rows[0].revoked_at, null)
  }
})
