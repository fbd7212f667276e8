import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator } = deployment
const org = await deployment.newOrg()
const make = (body: object) => operator.post(`/v1/ops/orgs/${org.slug}/keys`, body)

test('a server token is made for one environment and answered once (I-048, I-049, I-067, I-068, I-070, I-328, I-334, ID-09, ID-37, ID-56, ID-112, ID-118)', async () => {
  const { status, body } = await make({ label: ' ci ', env: 'sandbox' })
  assert.equal(status, 200)
  const { key, key_id, ...rest } = body
  assert.match(key, /^svc_test_[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(rest, {
    fingerprint: key_id,
    org: org.id,
    label: 'ci',
    env: 'sandbox',
    scopes: ['app', 'calls', 'talk', 'knowledge', 'evals'],
    subject: '',
    name: '',
    expires_at: null,
  })
  assert.match((await make({ label: 'ci', env: 'production' })).body.key, /^svc_live_/)
  const { rows } = await deployment.sql('select created_by, kind from keys where id = $1', [key_id])
  assert.deepEqual(rows, [{ created_by: 'operator', kind: 'server' }])
})

test('a token of the operator may hold any of the eleven scopes, in canonical order (ID-37, ID-47)', async () => {
  const { body } = await make({ label: 'ops', env: 'production', scopes: ['team', 'numbers', 'app', 'team'] })
  assert.deepEqual(body.scopes, ['app', 'numbers', 'team'])
})

test('an empty or unknown scope, environment, label or time is 400 and makes nothing (I-325, I-326, I-337, I-483, ID-06, ID-14, ID-118)', async () => {
  const count = async () => (await deployment.sql('select count(*) as n from keys')).rows[0].n
  const before = await count()
  const scopes =
    'a server token opens app · calls · talk · pipeline · words · knowledge · evals · numbers · keys · providers · team, and at least one of them'
  refused(await make({ label: 'x', env: 'sandbox', scopes: [] }), 400, scopes)
  refused(await make({ label: 'x', env: 'sandbox', scopes: ['root'] }), 400, scopes)
  refused(await make({ label: 'x', env: 'staging' }), 400, 'env is sandbox or production')
  refused(await make({ label: ' ', env: 'sandbox' }), 400, 'a label is one line of 1 to 100 characters')
  refused(await make({ label: 'x', env: 'sandbox', scopes: 'app' }), 422, 'scopes: must be a list')
  refused(await make({ env: 'sandbox' }), 422, 'label: is required')
  const times = [
    'tomorrow',
    '2099-01-01',
    '2099-01-01T00:00:00',
    '2099-13-01T00:00:00Z',
    '2020-01-01T00:00:00Z',
    new Date().toISOString(),
  ]
  for (const expires_at of times)
    refused(
      await make({ label: 'x', env: 'sandbox', expires_at }),
      400,
      'expires_at is a time with an offset, in the future',
    )
  assert.equal(await count(), before)
})

test('an end with any offset is answered in UTC (ID-06)', async () => {
  const { body } = await make({ label: 'x', env: 'sandbox', expires_at: '2099-01-01T01:30:00+01:30' })
  assert.equal(body.expires_at, '2099-01-01T00:00:00.000Z')
})

test('removing a member revokes every copy below their keys, in other orgs too (I-168, ID-87, T-16)', async () => {
  const other = await deployment.newOrg()
  await org.person('admin')
  const { id, client } = await org.person('admin')
  const source = (await client.get('/v1/whoami')).body.key_id
  const copy = await other.serverToken('sandbox')
  const copyOfCopy = await other.serverToken('sandbox')
  const stranger = await other.serverToken('sandbox')
  await deployment.sql('update keys set ancestors = $2 where id = $1', [copy.key_id, [source]])
  await deployment.sql('update keys set ancestors = $2 where id = $1', [
    copyOfCopy.key_id,
    [source, copy.key_id],
  ])
  await operator.delete(`/v1/ops/orgs/${org.slug}/members/${id}`)
  for (const { key_id } of [copy, copyOfCopy])
    assert.notEqual(
      (await deployment.sql('select revoked_at from keys where id = $1', [key_id])).rows[0].revoked_at,
      null,
    )
  refused(await copyOfCopy.client.get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal((await stranger.client.get('/v1/whoami')).status, 200)
})
