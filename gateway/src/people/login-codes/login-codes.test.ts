import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, sql } = deployment
const org = await deployment.newOrg()
const redeem = (code: string, device?: string) =>
  anonymous.post('/v1/login', { code, ...(device && { device }) })
const dead = 'that code is spent or was never made'

test('any key mints a code that lives five minutes (I-072, I-150, I-246, I-342, I-517, ID-09)', async () => {
  for (const { client } of [await org.person('qa'), await org.serverToken('sandbox')]) {
    const before = Date.now()
    const { status, body } = await client.post('/v1/login/codes')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['code', 'expires_at'])
    assert.match(body.code, /^lc_[A-Za-z0-9_-]{43}$/)
    const lifeMs = Date.parse(body.expires_at) - before
    assert.ok(lifeMs >= 300_000 && lifeMs < 302_000)
  }
})

test('redeeming a code gives a copy of the key that minted it: org, person, scopes, end (I-151, I-185, I-214, I-216, I-217, I-218, I-219, I-220, I-343, I-453, ID-85)', async () => {
  const ana = await org.person('developer')
  const { code } = (await ana.client.post('/v1/login/codes')).body
  const { status, body } = await redeem(code)
  assert.equal(status, 200)
  assert.deepEqual([body.org, body.subject, body.label], [org.id, ana.id, 'console'])
  const whoami = (await anonymous.as(body.key).get('/v1/whoami')).body
  assert.deepEqual(
    [whoami.subject, whoami.scopes],
    [ana.id, (await ana.client.get('/v1/whoami')).body.scopes],
  )
  const tablet = await redeem((await ana.client.post('/v1/login/codes')).body.code, 'tablet')
  assert.equal(tablet.body.label, 'tablet')

  const source = (await ana.client.get('/v1/whoami')).body.key_id
  await ana.client.post(`/v1/keys/${source}/revoke`)
  for (const key of [body.key, tablet.body.key])
    refused(await anonymous.as(key).get('/v1/whoami'), 401, 'this key opens nothing')
})

test("a server key's code gives the browser a copy of itself: prefix, environment, scopes, maker and end (I-215, I-247, ID-85, ID-86, T-18)", async () => {
  await using own = await startDeployment()
  const other = await own.newOrg()
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const token = await other.serverToken('sandbox', { scopes: ['calls'], expires_at })
  const { code } = (await token.client.post('/v1/login/codes')).body
  const { body } = await own.anonymous.post('/v1/login', { code })
  assert.match(body.key, /^svc_test_/)
  const copy = own.anonymous.as(body.key)
  assert.deepEqual((await copy.get('/v1/whoami')).body.scopes, ['calls'])
  refused(await copy.in('production').get('/v1/whoami'), 403, 'this token was made for sandbox')
  const { rows } = await own.sql('select created_by, expires_at from keys where id = $1', [body.key_id])
  assert.deepEqual(rows, [{ created_by: 'operator', expires_at }])
  own.clock.forward(61_000)
  refused(await copy.get('/v1/whoami'), 401, 'this key opens nothing')
})

test('a spent, dead or invented code, and one whose source died, is one 404 (I-074, I-153, I-221, I-495, ID-84, T-17)', async () => {
  const { client } = await org.person('qa')
  const { code } = (await client.post('/v1/login/codes')).body
  assert.equal((await redeem(code)).status, 200)
  refused(await redeem(code), 404, dead)
  refused(await redeem('lc_invented'), 404, dead)

  const disabled = await org.person('qa')
  const second = (await disabled.client.post('/v1/login/codes')).body.code
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  refused(await redeem(second), 404, dead)

  const token = await org.serverToken('sandbox')
  const third = (await token.client.post('/v1/login/codes')).body.code
  await token.client.post(`/v1/keys/${token.key_id}/revoke`)
  refused(await redeem(third), 404, dead)
})

test('a code is good until its five minutes are over (I-073, I-152)', async () => {
  await using own = await startDeployment()
  const { client } = await (await own.newOrg()).person('qa')
  const [early, late] = [
    (await client.post('/v1/login/codes')).body.code,
    (await client.post('/v1/login/codes')).body.code,
  ]
  own.clock.forward(299_000)
  assert.equal((await own.anonymous.post('/v1/login', { code: early })).status, 200)
  own.clock.forward(2000)
  refused(await own.anonymous.post('/v1/login', { code: late }), 404, dead)
})

test('of 20 uses concurrently over two gateways exactly one gets a key (I-074, T-29)', async () => {
  const second = await deployment.another()
  const { client, id } = await org.person('qa')
  const { code } = (await client.post('/v1/login/codes')).body
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? anonymous : second.anonymous).post('/v1/login', { code })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers) if (answer.status !== 200) refused(answer, 404, dead)
  assert.equal((await sql('select from keys where member = $1', [id])).rowCount, 2)
})
