import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '@switchroom/contract/scopes'
import { refused } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, sql } = deployment
const statusOf = async (id: string) =>
  (await sql('select status from members where id = $1', [id])).rows[0].status

test('a person sees every org of theirs, oldest first, with their role and status there (I-097, I-098, I-099, I-100, I-248, I-249, I-250, I-251, I-252, ID-11, ID-88)', async () => {
  const orgs = [await deployment.newOrg(), await deployment.newOrg(), await deployment.newOrg()] as const
  const ana = await orgs[0].person('developer')
  const disabled = await orgs[1].join(ana.email, 'qa')
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  await orgs[2].invite(ana.email, 'admin')
  const { status, body } = await ana.client.get('/v1/login/orgs')
  assert.equal(status, 200)
  const entry = (n: 0 | 1 | 2, role: string, standing: string) => ({
    org: orgs[n].id,
    slug: orgs[n].slug,
    name: `Org ${orgs[n].slug}`,
    role,
    status: standing,
    here: n === 0,
    member: true,
  })
  assert.deepEqual(body, {
    orgs: [entry(0, 'developer', 'active'), entry(1, 'qa', 'disabled'), entry(2, 'admin', 'invited')],
  })
})

test('an operator sees every other org after their own (I-253, I-254, I-255, ID-88)', async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const olga = await home.person('qa', { operator: true })
  const { orgs } = (await olga.client.get('/v1/login/orgs')).body
  assert.equal(orgs[0].org, home.id)
  const { org, slug, name, ...standing } = orgs.find((entry: { slug: string }) => entry.slug === other.slug)
  assert.deepEqual([org, slug, name], [other.id, other.slug, `Org ${other.slug}`])
  assert.deepEqual(standing, { role: 'operator', status: null, here: false, member: false })
  assert.equal(orgs.length, (await operator.get('/v1/ops/orgs')).body.orgs.length)
})

test("switching gives the same person's key in another org of theirs, under the label of the key that asked (I-256, I-257, I-041, ID-15, ID-85, ID-90)", async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await home.person('developer')
  const there = await other.join(ana.email, 'qa')
  for (const org of [other.id, other.slug]) {
    const { status, body } = await ana.client.post('/v1/login/org', { org })
    assert.deepEqual([status, body.org, body.subject, body.label], [200, other.id, there.id, 'laptop'])
    assert.equal((await anonymous.as(body.key).get('/v1/whoami')).body.email, ana.email)
  }
  assert.equal((await ana.client.post('/v1/login/org', { org: home.slug })).body.subject, ana.id)
})

test('switching takes a waiting seat of a proven person, and of no other person (I-132, I-263, I-264, I-265, ID-59, T-32)', async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await home.person('qa')
  const { id } = await other.invite(ana.email, 'qa')
  await sql('update persons set verified = false where email = $1', [ana.email])
  const invited = `${ana.email} is invited to ${other.slug}: accept the invitation first`
  refused(await ana.client.post('/v1/login/org', { org: other.id }), 403, invited)
  await sql('update persons set verified = true, password_hash = null where email = $1', [ana.email])
  refused(await ana.client.post('/v1/login/org', { org: other.id }), 403, invited)
  assert.equal(await statusOf(id), 'invited')
  await sql(`update persons set password_hash = 'x' where email = $1`, [ana.email])
  assert.equal((await ana.client.post('/v1/login/org', { org: other.id })).status, 200)
  assert.equal(await statusOf(id), 'active')
})

test('a provider-only org is not walked into, save the one the key is in (I-136, I-266, ID-90, T-41)', async () => {
  const [home, walled] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await home.person('qa')
  const { id } = await walled.invite(ana.email, 'qa')
  await walled.requireProvider()
  const sentence = `${walled.slug} signs in with its provider: /v1/login/sso?org=${walled.slug}`
  refused(await ana.client.post('/v1/login/org', { org: walled.slug }), 403, sentence)
  assert.equal(await statusOf(id), 'invited')
  await home.requireProvider()
  assert.equal((await ana.client.post('/v1/login/org', { org: home.slug })).status, 200)
})

test('an org of another person, or none at all, is 404, and a disabled row is refused (ID-90, I-003)', async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await home.person('admin')
  refused(
    await ana.client.post('/v1/login/org', { org: other.slug }),
    404,
    `no org of yours is called ${other.slug}`,
  )
  refused(
    await ana.client.post('/v1/login/org', { org: 'nowhere' }),
    404,
    'no org of yours is called nowhere',
  )
  refused(await ana.client.post('/v1/login/org', {}), 422, 'org: is required')
  const there = await other.join(ana.email, 'qa')
  await sql(`update members set status = 'disabled' where id = $1`, [there.id])
  refused(
    await ana.client.post('/v1/login/org', { org: other.slug }),
    403,
    `${ana.email} is disabled in ${other.slug}`,
  )
})

test("an operator enters any org as a visit with an admin's scopes and no seat, also a full one (I-044, I-267, I-268, I-269, I-471, ID-60, T-58)", async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  await other.person('admin')
  await operator.put(`/v1/ops/orgs/${other.slug}/quotas`, { ...noLimit, seats: 0 })
  const olga = await home.person('qa', { operator: true, agents: ['sales'] })
  const { status, body } = await olga.client.post('/v1/login/org', { org: other.slug })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.subject, body.label, body.name],
    [`operator:${olga.email}`, `operator · ${olga.email}`, 'A qa'],
  )
  const visit = anonymous.as(body.key)
  const whoami = (await visit.in('production').get('/v1/whoami')).body
  assert.deepEqual(
    [whoami.visiting, whoami.operator, whoami.production, whoami.scopes],
    [true, true, true, [...scopes]],
  )
  const { members } = (await visit.get('/v1/members')).body
  assert.equal(
    members.some((member: { email: string }) => member.email === olga.email),
    false,
  )
  const { keys } = (await visit.get('/v1/keys')).body
  const entry = keys.find((key: { fingerprint: string }) => key.fingerprint === body.key_id)
  assert.deepEqual(
    [entry.kind, entry.label, entry.created_by, entry.scopes],
    ['person', `operator · ${olga.email}`, `operator:${olga.email}`, [...scopes]],
  )
  const back = (await visit.get('/v1/login/orgs')).body.orgs.find((org: { here: boolean }) => org.here)
  assert.deepEqual([back.slug, back.member], [other.slug, false])
})

test('a visit dies with its key and with the flag, and with a row of their own an operator is no visitor (ID-60, T-56, T-57, I-066)', async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const olga = await home.person('qa', { operator: true })
  const visitOf = async () =>
    anonymous.as((await olga.client.post('/v1/login/org', { org: other.slug })).body.key)
  const visit = await visitOf()
  await operator.put(`/v1/ops/orgs/${home.slug}/members/${olga.id}/operator`, { operator: false })
  refused(await visit.get('/v1/whoami'), 401, 'this key opens nothing')
  await operator.put(`/v1/ops/orgs/${home.slug}/members/${olga.id}/operator`, { operator: true })
  const again = await visitOf()
  await olga.client.post(`/v1/keys/${(await olga.client.get('/v1/whoami')).body.key_id}/revoke`)
  refused(await again.get('/v1/whoami'), 401, 'this key opens nothing')

  const member = await home.person('qa', { operator: true })
  refused(await member.client.get('/v1/members'), 403, 'this key does not open team: it opens calls · evals')
  assert.equal(
    (
      await anonymous
        .as((await member.client.post('/v1/login/org', { org: home.slug })).body.key)
        .get('/v1/whoami')
    ).body.visiting,
    false,
  )
})

test('a server token names no person and is refused at both (I-270, I-271, ID-89)', async () => {
  const token = await (await deployment.newOrg()).serverToken('production')
  refused(await token.client.get('/v1/login/orgs'), 403, "this door takes a person's key")
  refused(await token.client.post('/v1/login/org', { org: 'x' }), 403, "this door takes a person's key")
})

test('the whole tree of copies dies at once: code of a code, terminal, switch to another org (I-168, ID-87, T-16)', async () => {
  const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await home.person('admin')
  await other.join(ana.email, 'qa')
  const codeOf = async (key: string) => {
    const { code } = (await anonymous.as(key).post('/v1/login/codes')).body
    return (await anonymous.post('/v1/login', { code })).body.key as string
  }
  const first = await codeOf(ana.key)
  const second = await codeOf(first)
  const { code } = (await anonymous.post('/v1/login/pairings', {})).body
  await anonymous.as(second).post(`/v1/login/pairings/${code}`, {})
  const terminal = (await anonymous.get(`/v1/login/pairings/${code}/key`)).body.key as string
  const switched = (await anonymous.as(terminal).post('/v1/login/org', { org: other.slug })).body
    .key as string
  const all = [ana.key, first, second, terminal, switched]
  for (const key of all) assert.equal((await anonymous.as(key).get('/v1/whoami')).status, 200)
  await ana.client.post(`/v1/keys/${(await ana.client.get('/v1/whoami')).body.key_id}/revoke`)
  for (const key of all) refused(await anonymous.as(key).get('/v1/whoami'), 401, 'this key opens nothing')
  const { rows } = await sql(
    'select count(*) as n from keys where member in ($1) or org = $2 and revoked_at is not null',
    [ana.id, other.id],
  )
  assert.ok(rows[0].n >= 4)
})
