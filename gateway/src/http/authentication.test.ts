import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { scopes } from '@switchroom/contract/scopes'
import { refused } from '../../testing/client.ts'
import { operatorKey, startDeployment } from '../../testing/deployment.ts'
import { digestOf, newSecret } from '../foundation/secrets.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, clock, sql } = deployment
const org = await deployment.newOrg()

const opensNothing = 'this key opens nothing'

/** A key of an operator inside an org they are no member of, as the switch to another org makes it. */
async function visitOf(email: string, from: string | null, to: string) {
  const key = newSecret('svc_live_')
  await sql(
    `insert into keys (id, org, digest, kind, label, env, visitor, name, created_by, ancestors, created_at)
     values ($1, $2, $3, 'person', $4, 'sandbox', $5, 'Olga', $6, $7, now())`,
    [
      newSecret('key_'),
      to,
      digestOf(key),
      `operator · ${email}`,
      email,
      `operator:${email}`,
      from ? [from] : [],
    ],
  )
  return key
}

test('the identity record has its twelve fields and no trace of the key (I-032, I-033, I-034, I-035, I-036, I-037, I-038, I-039, I-040, I-041, I-043, I-044, I-045, I-046, I-047, I-243, I-017, I-458)', async () => {
  const ana = await org.person('developer')
  const { status, body, text } = await ana.client.get('/v1/whoami')
  assert.equal(status, 200)
  const { key_id, ...rest } = body
  assert.match(key_id, /^key_[0-9a-f]{16}$/)
  assert.deepEqual(rest, {
    org: org.id,
    slug: org.slug,
    label: 'laptop',
    env: 'sandbox',
    scopes: ['app', 'calls', 'talk', 'pipeline', 'words', 'knowledge', 'evals'],
    subject: ana.id,
    name: 'A developer',
    email: ana.email,
    operator: false,
    visiting: false,
    production: false,
  })
  for (const form of ['hex', 'base64', 'base64url'] as const)
    assert.equal(text.includes(createHash('sha256').update(ana.key).digest(form)), false)
  assert.equal(text.includes(ana.key), false)
})

test('without a key a door that takes one is 401 and says so (I-244, I-245, I-451, I-487, ID-17, ID-18)', async () => {
  for (const authorization of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', `Token ${operatorKey}`]) {
    const client = authorization === undefined ? anonymous : anonymous.with({ authorization })
    const answer = await client.get('/v1/whoami')
    refused(answer, 401, 'this door takes an API key')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  }
})

test('a key in a query or a cookie is no key (ID-17)', async () => {
  const { key } = await org.person('qa')
  refused(await anonymous.get(`/v1/whoami?key=${key}&access_token=${key}`), 401, 'this door takes an API key')
  refused(await anonymous.with({ cookie: `key=${key}` }).get('/v1/whoami'), 401, 'this door takes an API key')
})

test('a key is presented as a bearer, the scheme in any case (I-449, ID-17)', async () => {
  const { key } = await org.person('qa')
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.equal((await anonymous.with({ authorization: `${scheme} ${key}` }).get('/v1/whoami')).status, 200)
})

test('an invented key opens nothing (ID-18)', async () => {
  const answer = await anonymous.as(newSecret('svc_live_')).get('/v1/whoami')
  refused(answer, 401, opensNothing)
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
})

test('the header names the environment, sandbox without it, in any case and spacing (I-004, I-005, I-006, I-037, I-063, I-462, ID-53)', async () => {
  const { client } = await org.person('developer', { production: true })
  assert.equal((await client.get('/v1/whoami')).body.env, 'sandbox')
  for (const name of ['production', 'Production', ' PRODUCTION '])
    assert.equal((await client.with({ 'svc-env': name }).get('/v1/whoami')).body.env, 'production')
  refused(
    await client.with({ 'svc-env': 'staging' }).get('/v1/whoami'),
    400,
    'svc-env is sandbox or production',
  )
  refused(await anonymous.with({ 'svc-env': 'staging' }).get('/v1/whoami'), 401, 'this door takes an API key')
})

test('production access is read from the member row at every request, never from the key (I-007, I-008, I-094, I-463, ID-51, T-19)', async () => {
  const { client, id } = await org.person('developer', { production: true })
  assert.equal((await client.in('production').get('/v1/whoami')).body.production, true)
  await sql('update members set production = false where id = $1', [id])
  const sentence = 'A developer has no production access: an admin gives it in Team'
  refused(await client.in('production').get('/v1/whoami'), 403, sentence)
  assert.equal((await client.get('/v1/whoami')).body.production, false)
})

test('an admin always opens production (I-298, ID-52)', async () => {
  const { client } = await org.person('admin', { production: false })
  assert.equal((await client.in('production').get('/v1/whoami')).status, 200)
})

test("a person's scopes follow their role at the next request (ID-48, T-19, I-038)", async () => {
  const { client, id } = await org.person('developer')
  await sql(`update members set role = 'qa' where id = $1`, [id])
  assert.deepEqual((await client.get('/v1/whoami')).body.scopes, ['calls', 'evals'])
})

test('the eleven scopes, and which of them each role opens (I-464, I-465, I-466, ID-46, ID-47)', async () => {
  const opens = async (role: 'admin' | 'developer' | 'manager' | 'qa' | 'supervisor') =>
    (await (await org.person(role)).client.get('/v1/whoami')).body.scopes
  const eleven = [
    'app',
    'calls',
    'talk',
    'pipeline',
    'words',
    'knowledge',
    'evals',
    'numbers',
    'keys',
    'providers',
    'team',
  ]
  assert.deepEqual(await opens('admin'), eleven)
  assert.deepEqual(await opens('developer'), [
    'app',
    'calls',
    'talk',
    'pipeline',
    'words',
    'knowledge',
    'evals',
  ])
  assert.deepEqual(await opens('manager'), [
    'calls',
    'talk',
    'words',
    'evals',
    'numbers',
    'keys',
    'providers',
    'team',
  ])
  assert.deepEqual(await opens('supervisor'), ['calls', 'talk', 'words', 'evals'])
  assert.deepEqual(await opens('qa'), ['calls', 'evals'])
})

test('a server token names no person and acts in its own environment (I-009, I-014, I-019, I-042, I-069, I-460, I-461, ID-54, ID-56, T-21)', async () => {
  const token = await org.serverToken('production')
  const { body } = await token.client.get('/v1/whoami')
  const { key_id, ...rest } = body
  assert.equal(key_id, token.key_id)
  assert.deepEqual(rest, {
    org: org.id,
    slug: org.slug,
    label: 'ci',
    env: 'production',
    scopes: ['app', 'calls', 'talk', 'knowledge', 'evals'],
    subject: '',
    name: '',
    email: null,
    operator: false,
    visiting: false,
    production: true,
  })
  assert.equal((await token.client.in('production').get('/v1/whoami')).status, 200)
  refused(await token.client.in('sandbox').get('/v1/whoami'), 403, 'this token was made for production')

  const sandbox = await org.serverToken('sandbox')
  assert.equal((await sandbox.client.get('/v1/whoami')).body.production, false)
  refused(await sandbox.client.in('production').get('/v1/whoami'), 403, 'this token was made for sandbox')
})

test('after its time a key opens nothing, and says when it expired (I-070, I-071, I-169, I-338, I-339, I-488, ID-18)', async () => {
  await using own = await startDeployment()
  const other = await own.newOrg()
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const token = await other.serverToken('sandbox', { expires_at })
  const forever = await other.serverToken('sandbox')
  assert.equal((await token.client.get('/v1/whoami')).status, 200)
  own.clock.forward(60_001)
  const answer = await token.client.get('/v1/whoami')
  refused(answer, 401, `this key expired at ${expires_at}`)
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  own.clock.forward(100 * 365 * 24 * 3600 * 1000)
  assert.equal((await forever.client.get('/v1/whoami')).status, 200)
})

test('a revoked key opens nothing, and an expired one that was revoked says only that (I-064, ID-18)', async () => {
  const token = await org.serverToken('sandbox', {
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await sql(`update keys set revoked_at = now(), expires_at = now() - interval '1 day' where id = $1`, [
    token.key_id,
  ])
  refused(await token.client.get('/v1/whoami'), 401, opensNothing)
})

test('the key of a disabled or removed member opens nothing (I-065, I-146, I-167, ID-18)', async () => {
  const [disabled, removed] = [await org.person('qa'), await org.person('qa')]
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  refused(await disabled.client.get('/v1/whoami'), 401, opensNothing)
  assert.equal((await operator.delete(`/v1/ops/orgs/${org.slug}/members/${removed.id}`)).status, 204)
  refused(await removed.client.get('/v1/whoami'), 401, opensNothing)
})

test('a key whose source is revoked or expired is refused although its own row is valid (I-066, ID-87, T-18)', async () => {
  const { id, email, client } = await org.person('admin', { operator: true })
  const source = (await client.get('/v1/whoami')).body.key_id
  const elsewhere = await deployment.newOrg()
  const revoked = await visitOf(email, source, elsewhere.id)
  assert.equal((await anonymous.as(revoked).get('/v1/whoami')).status, 200)
  await sql('update keys set revoked_at = now() where id = $1', [source])
  refused(await anonymous.as(revoked).get('/v1/whoami'), 401, opensNothing)
  await sql(`update keys set revoked_at = null, expires_at = now() - interval '1 second' where id = $1`, [
    source,
  ])
  refused(await anonymous.as(revoked).get('/v1/whoami'), 401, opensNothing)
  await sql('update keys set expires_at = null where id = $1', [source])
  assert.equal((await anonymous.as(revoked).get('/v1/whoami')).status, 200)
  await sql('update members set operator = false where id = $1', [id])
})

test("a visit has an admin's scopes, no list, and dies the moment the operator's flag goes (I-044, I-268, I-471, ID-35, ID-60, T-56)", async () => {
  const olga = await org.person('qa', { operator: true, agents: ['sales'] })
  const elsewhere = await deployment.newOrg()
  const visit = anonymous.as(await visitOf(olga.email, null, elsewhere.id))
  const { body } = await visit.in('production').get('/v1/whoami')
  assert.deepEqual(
    { ...body, key_id: '' },
    {
      org: elsewhere.id,
      slug: elsewhere.slug,
      key_id: '',
      label: `operator · ${olga.email}`,
      env: 'production',
      scopes: [...scopes],
      subject: `operator:${olga.email}`,
      name: 'Olga',
      email: olga.email,
      operator: true,
      visiting: true,
      production: true,
    },
  )
  assert.equal((await olga.client.get('/v1/whoami')).body.operator, true)
  await operator.put(`/v1/ops/orgs/${org.slug}/members/${olga.id}/operator`, { operator: false })
  refused(await visit.get('/v1/whoami'), 401, opensNothing)
  assert.equal((await olga.client.get('/v1/whoami')).body.operator, false)
})

test('one statement answers an authenticated request, and using a key is written at most once a minute (ID-117, I-108)', async () => {
  const { client, key_id } = await org.serverToken('sandbox')
  const lastUsed = async () =>
    (await sql('select last_used_at from keys where id = $1', [key_id])).rows[0].last_used_at
  assert.equal(await lastUsed(), null)
  await Promise.all(Array.from({ length: 20 }, () => client.get('/v1/whoami')))
  await deployment.gateway.services.authentication.settled()
  const first = await lastUsed()
  assert.notEqual(first, null)
  await client.get('/v1/whoami')
  await deployment.gateway.services.authentication.settled()
  assert.deepEqual(await lastUsed(), first)
  clock.forward(61_000)
  await client.get('/v1/whoami')
  await deployment.gateway.services.authentication.settled()
  assert.notDeepEqual(await lastUsed(), first)
})

test('a bearer at a door that takes none is not even looked at (I-450, ID-19, ID-53, T-23)', async () => {
  const client = anonymous.as('svc_live_invented').with({ 'svc-env': 'staging' })
  assert.equal((await client.get('/.well-known/svc')).status, 200)
  assert.equal((await client.get('/healthz')).status, 200)
})

test('ids are random lower-case hex behind their prefix (ID-07)', async () => {
  const { client, id } = await org.person('qa')
  assert.match(id, /^mem_[0-9a-f]{12}$/)
  const { body } = await client.get('/v1/whoami')
  assert.match(body.org, /^org_[0-9a-f]{12}$/)
  assert.match(body.key_id, /^key_[0-9a-f]{16}$/)
})
