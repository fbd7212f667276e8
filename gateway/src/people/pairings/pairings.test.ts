import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, sql } = deployment
const org = await deployment.newOrg()
const dead = 'that word is spent or was never made'
const start = async (device?: string) =>
  (await anonymous.post('/v1/login/pairings', device === undefined ? {} : { device })).body.code

test('a terminal begins with a word that lives ten minutes (I-075, I-154, I-190, I-518, ID-09, ID-91)', async () => {
  const before = Date.now()
  const { status, body } = await anonymous.post('/v1/login/pairings', { device: 'workstation' })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['code', 'expires_at'])
  assert.match(body.code, /^cli_[A-Za-z0-9_-]{22}$/)
  const lifeMs = Date.parse(body.expires_at) - before
  assert.ok(lifeMs >= 600_000 && lifeMs < 602_000)
})

test('looking at a word spends nothing, and until the approval the key is an empty 202 (I-155, I-191, I-192, ID-15)', async () => {
  const code = await start()
  for (let n = 0; n < 10; n += 1) {
    const { body } = await anonymous.get(`/v1/login/pairings/${code}`)
    assert.deepEqual(
      [body.device, body.answered, Object.keys(body)],
      ['terminal', false, ['device', 'expires_at', 'answered']],
    )
    const { status, text } = await anonymous.get(`/v1/login/pairings/${code}/key`)
    assert.deepEqual([status, text], [202, '{}'])
  }
})

test('an approval signs the terminal in as the approver, and the key is handed out once, to it alone (I-156, I-157, I-158, I-160, I-161, I-193, I-258, I-259, I-260, I-261, I-262, I-454, ID-92, ID-93, ID-96, T-62)', async () => {
  const ana = await org.person('developer')
  const code = await start('workstation')
  const approved = await ana.client.post(`/v1/login/pairings/${code}`, {
    device: 'my terminal',
    org: org.id,
    org_name: 'Org of mine',
  })
  assert.equal(approved.status, 200)
  const { expires_at, ...rest } = approved.body
  assert.deepEqual(rest, { device: 'my terminal', org: org.id, org_name: 'Org of mine', answered: true })
  assert.equal(approved.text.includes('svc_live_'), false)
  assert.equal((await anonymous.get(`/v1/login/pairings/${code}`)).body.answered, true)

  const collected = await anonymous.get(`/v1/login/pairings/${code}/key`)
  assert.equal(collected.status, 200)
  const { key, key_id, ...minted } = collected.body
  assert.deepEqual(minted, {
    org: org.id,
    slug: org.slug,
    org_name: 'Org of mine',
    label: 'my terminal',
    env: 'sandbox',
    scopes: ['app', 'calls', 'talk', 'pipeline', 'words', 'knowledge', 'evals'],
    subject: ana.id,
    name: 'A developer',
  })
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.key_id, key_id)
  assert.notEqual(key_id, (await ana.client.get('/v1/whoami')).body.key_id)
  refused(await anonymous.get(`/v1/login/pairings/${code}/key`), 404, dead)
  assert.equal((await anonymous.get(`/v1/login/pairings/${code}`)).body.answered, true)
  assert.equal(expires_at, (await anonymous.get(`/v1/login/pairings/${code}`)).body.expires_at)
})

test('without a name, a label or an org it is the terminal, in the org of the key (ID-92, ID-93)', async () => {
  const ana = await org.person('qa')
  const code = await start('box')
  assert.deepEqual((await ana.client.post(`/v1/login/pairings/${code}`, {})).body.org_name, null)
  const { body } = await anonymous.get(`/v1/login/pairings/${code}/key`)
  assert.deepEqual([body.label, body.org, body.org_name], ['box', org.id, null])
})

test('a second approval is 409 for every person, collected or not, and changes nothing (I-162, I-508, ID-96)', async () => {
  const [ana, bo] = [await org.person('qa'), await org.person('qa')]
  const code = await start()
  await ana.client.post(`/v1/login/pairings/${code}`, {})
  refused(await bo.client.post(`/v1/login/pairings/${code}`, {}), 409, 'that terminal is already signed in')
  assert.equal((await anonymous.get(`/v1/login/pairings/${code}/key`)).body.subject, ana.id)
  refused(await ana.client.post(`/v1/login/pairings/${code}`, {}), 409, 'that terminal is already signed in')
})

test("the terminal's key dies with the approving key, also before it was collected (I-159, I-496, ID-95, T-64)", async () => {
  const ana = await org.person('qa')
  const [early, late] = [await start(), await start()]
  for (const code of [early, late]) await ana.client.post(`/v1/login/pairings/${code}`, {})
  const { key } = (await anonymous.get(`/v1/login/pairings/${early}/key`)).body
  await ana.client.post(`/v1/keys/${(await ana.client.get('/v1/whoami')).body.key_id}/revoke`)
  refused(await anonymous.as(key).get('/v1/whoami'), 401, 'this key opens nothing')
  refused(await anonymous.get(`/v1/login/pairings/${late}/key`), 404, dead)
})

test('after ten minutes from the start every use is 404, and a key that no terminal collected is revoked (I-076, I-163, ID-94, T-63)', async () => {
  await using own = await startDeployment()
  const { client, id } = await (await own.newOrg()).person('qa')
  const { code } = (await own.anonymous.post('/v1/login/pairings', {})).body
  own.clock.forward(599_000)
  assert.equal((await client.post(`/v1/login/pairings/${code}`, {})).status, 200)
  own.clock.forward(1001)
  refused(await own.anonymous.get(`/v1/login/pairings/${code}`), 404, dead)
  refused(await own.anonymous.get(`/v1/login/pairings/${code}/key`), 404, dead)
  refused(await client.post(`/v1/login/pairings/${code}`, {}), 404, dead)
  await own.gateway.services.pairings.deleteExpired()
  const { rows } = await own.sql(
    'select revoked_at is not null as revoked from keys where member = $1 order by ordinal',
    [id],
  )
  assert.deepEqual(rows, [{ revoked: false }, { revoked: true }])
})

test('an approval into another org is as a switch there: same refusals, seat taken, and the word stays pending (ID-92, T-65)', async () => {
  const [other, stranger] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await org.person('qa')
  const seat = await other.invite(ana.email, 'qa')
  const code = await start()
  refused(
    await ana.client.post(`/v1/login/pairings/${code}`, { org: stranger.id }),
    404,
    `no org of yours is called ${stranger.id}`,
  )
  assert.equal((await anonymous.get(`/v1/login/pairings/${code}`)).body.answered, false)
  assert.equal((await ana.client.post(`/v1/login/pairings/${code}`, { org: other.slug })).body.org, other.id)
  assert.equal((await anonymous.get(`/v1/login/pairings/${code}/key`)).body.subject, seat.id)
})

test('a server token approves nothing, an invented word is 404, and an operator approves a visit (ID-89, I-496)', async () => {
  const code = await start()
  const token = await org.serverToken('sandbox')
  refused(await token.client.post(`/v1/login/pairings/${code}`, {}), 403, "this door takes a person's key")
  const olga = await org.person('qa', { operator: true })
  refused(await olga.client.post('/v1/login/pairings/cli_invented', {}), 404, dead)
  const stranger = await deployment.newOrg()
  assert.equal((await olga.client.post(`/v1/login/pairings/${code}`, { org: stranger.slug })).status, 200)
  const { body } = await anonymous.get(`/v1/login/pairings/${code}/key`)
  assert.deepEqual([body.subject, body.label], [`operator:${olga.email}`, 'terminal'])
  assert.equal((await anonymous.as(body.key).get('/v1/whoami')).body.visiting, true)
})

test('of 20 approvals, and of 20 collections, concurrently over two gateways exactly one goes through (I-161, I-162, T-29)', async () => {
  const second = await deployment.another()
  const ana = await org.person('qa')
  const code = await start()
  const spread = (n: number) => (n % 2 ? anonymous : second.anonymous)
  const approvals = await Promise.all(
    Array.from({ length: 20 }, (_, n) => spread(n).as(ana.key).post(`/v1/login/pairings/${code}`, {})),
  )
  assert.deepEqual(
    [200, 409].map((status) => approvals.filter((answer) => answer.status === status).length),
    [1, 19],
  )
  const collections = await Promise.all(
    Array.from({ length: 20 }, (_, n) => spread(n).get(`/v1/login/pairings/${code}/key`)),
  )
  assert.deepEqual(
    [200, 404].map((status) => collections.filter((answer) => answer.status === status).length),
    [1, 19],
  )
  assert.equal((await sql('select from keys where member = $1', [ana.id])).rowCount, 2)
})
