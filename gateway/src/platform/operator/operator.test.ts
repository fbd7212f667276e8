import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import metadata from '../../../package.json' with { type: 'json' }
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator } = deployment
const org = await deployment.newOrg()

test("the platform's own key reads as no person and no org (I-423, I-425, I-426, I-528, ID-41, T-59)", async () => {
  const { status, body } = await operator.get('/v1/ops/whoami')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    operator: true,
    version: metadata.version,
    domain: 'voice.example',
    name: null,
    org: null,
  })
  refused(await operator.get('/v1/whoami'), 401, 'this key opens nothing')
})

test('a person made operator reads as themself (I-424, ID-41)', async () => {
  const olga = await org.person('developer', { operator: true })
  const { body } = await olga.client.get('/v1/ops/whoami')
  assert.deepEqual([body.operator, body.name, body.org], [true, 'A developer', org.id])
})

test('every other caller is refused in the words for their case (I-470, ID-34, T-60)', async () => {
  refused(await anonymous.get('/v1/ops/whoami'), 401, 'this door takes an API key')
  refused(await anonymous.as('svc_op_invented').get('/v1/ops/whoami'), 401, 'this key opens nothing')
  refused(await (await org.person('admin')).client.get('/v1/ops/whoami'), 403, "this door is the operator's")
  refused(
    await (await org.serverToken('production')).client.get('/v1/ops/whoami'),
    403,
    "this door is the operator's",
  )
})

test('the flag of a row that is not active makes no one an operator, and removing the row ends it in every org at once (ID-35, T-55)', async () => {
  const other = await deployment.newOrg()
  const olga = await org.person('admin', { operator: true })
  await deployment.sql(
    `insert into members (id, org, email, name, role, status, production, created_at)
     values ('mem_elsewhere', $1, $2, 'Olga elsewhere', 'qa', 'active', false, now())`,
    [other.id, olga.email],
  )
  await deployment.sql(`update keys set member = 'mem_elsewhere', org = $2 where member = $1`, [
    olga.id,
    other.id,
  ])
  assert.equal((await olga.client.get('/v1/ops/whoami')).body.org, other.id)
  await deployment.sql(`update members set status = 'disabled' where id = $1`, [olga.id])
  refused(await olga.client.get('/v1/ops/whoami'), 403, "this door is the operator's")
  await deployment.sql(`update members set status = 'active' where id = $1`, [olga.id])
  assert.equal((await olga.client.get('/v1/ops/whoami')).status, 200)
  await org.person('admin')
  assert.equal((await operator.delete(`/v1/ops/orgs/${org.slug}/members/${olga.id}`)).status, 204)
  refused(await olga.client.get('/v1/ops/whoami'), 403, "this door is the operator's")
  assert.equal((await olga.client.get('/v1/whoami')).body.operator, false)
})

test('platform-wide sign-in is named as unwired, and setting it is 503 after the key was judged (I-439, I-440, I-441, I-442, I-514, ID-05, ID-168)', async () => {
  assert.deepEqual((await operator.get('/v1/ops/signin')).body, {
    provider: 'social',
    wired: false,
    redirect_uri: 'https://switchroom.test/v1/login/social/callback',
  })
  for (const method of ['PUT', 'DELETE']) {
    refused(
      await operator.send(method, '/v1/ops/signin/social'),
      503,
      'platform-wide sign-in is not in this version',
    )
    refused(await anonymous.send(method, '/v1/ops/signin/social'), 401, 'this door takes an API key')
  }
})
