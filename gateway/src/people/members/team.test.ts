import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Role } from '@switchroom/contract/scopes'
import { refused } from '../../../testing/client.ts'
import { password, noLimit, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator } = deployment
let guests = 0
const newGuest = () => `guest-${(guests += 1)}@example.com`
const grantSentence = (role: string) =>
  `this key does not open everything ${role} would: it opens calls · talk · words · evals · numbers · keys · providers · team, so it cannot grant ${role}`

test('all five endpoints of members need the scope team (I-272, I-467)', async () => {
  const { client, id } = await (await deployment.newOrg()).person('developer')
  const sentence =
    'this key does not open team: it opens app · calls · talk · pipeline · words · knowledge · evals'
  refused(await client.get('/v1/members'), 403, sentence)
  refused(await client.post('/v1/members', {}), 403, sentence)
  refused(await client.patch(`/v1/members/${id}`, {}), 403, sentence)
  refused(await client.delete(`/v1/members/${id}`), 403, sentence)
  refused(await client.post(`/v1/members/${id}/reset`), 403, sentence)
})

test('an admin invites, and the person takes the seat with an address that is not proven by a handed link (I-130, I-275, I-276, I-285, I-286, I-288, I-422, ID-57, ID-74, T-32)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const email = newGuest()
  const invited = await client.post('/v1/members', {
    email,
    name: 'Bo',
    role: 'qa',
    agents: ['sales'],
    production: true,
  })
  assert.equal(invited.status, 201)
  assert.deepEqual(
    [invited.body.mailed, invited.body.member.status, invited.body.member.production],
    [false, 'invited', true],
  )
  const { body } = await anonymous.post(`/v1/invitations/${invited.body.token}`, { password })
  assert.deepEqual([body.member.status, body.member.verified], ['active', false])
  const other = await deployment.newOrg()
  await other.invite(email, 'qa')
  refused(
    await anonymous.as(body.key).post('/v1/login/org', { org: other.slug }),
    403,
    `${email} is invited to ${other.slug}: accept the invitation first`,
  )
})

test('only email and role are needed, and the shape is judged before anything else (ID-03, ID-109, I-088)', async () => {
  const { client } = await (await deployment.newOrg()).person('admin')
  refused(await client.post('/v1/members', { email: newGuest() }), 422, 'role: is required')
  refused(await client.post('/v1/members', { role: 'qa' }), 422, 'email: is required')
  refused(await client.post('/v1/members', { email: 'x', role: 'qa' }), 400, 'that is not an email address')
  refused(
    await client.post('/v1/members', { email: newGuest(), role: 'boss' }),
    400,
    'role is one of admin, developer, manager, qa, supervisor',
  )
  const { body } = await client.post('/v1/members', { email: 'jo.doe@example.com', role: 'qa' })
  assert.deepEqual([body.member.name, body.member.agents, body.member.production], ['jo.doe', [], false])
})

test('a key grants only what it holds, by scopes and not by rank (I-290, I-291, I-292, I-493, ID-50, T-51)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('manager')
  const target = await org.person('qa')
  for (const role of ['qa', 'supervisor', 'manager'] as Role[]) {
    assert.equal((await client.post('/v1/members', { email: newGuest(), role })).status, 201)
    assert.equal((await client.patch(`/v1/members/${target.id}`, { role })).status, 200)
  }
  for (const role of ['developer', 'admin'] as Role[]) {
    refused(await client.post('/v1/members', { email: newGuest(), role }), 403, grantSentence(role))
    refused(await client.patch(`/v1/members/${target.id}`, { role }), 403, grantSentence(role))
  }
})

test('production access is given only by a person who has it (I-293, ID-51)', async () => {
  const org = await deployment.newOrg()
  const [without, having] = [await org.person('manager'), await org.person('manager', { production: true })]
  const target = await org.person('qa')
  const sentence = 'A manager has no production access: an admin gives it in Team'
  refused(
    await without.client.post('/v1/members', { email: newGuest(), role: 'qa', production: true }),
    403,
    sentence,
  )
  refused(await without.client.patch(`/v1/members/${target.id}`, { production: true }), 403, sentence)
  assert.equal(
    (await having.client.patch(`/v1/members/${target.id}`, { production: true })).body.production,
    true,
  )
  assert.equal((await without.client.patch(`/v1/members/${target.id}`, { production: true })).status, 200)
  assert.equal(
    (await without.client.patch(`/v1/members/${target.id}`, { production: false })).body.production,
    false,
  )
})

test('a narrowed person gives no member more than a part of their own list, themself included (ID-107, ID-108, T-52)', async () => {
  const org = await deployment.newOrg()
  const { client, id } = await org.person('manager', { agents: ['sales', 'billing'] })
  const target = await org.person('qa', { agents: ['sales'] })
  const sentence = 'this key works on sales · billing alone'
  for (const agents of [[], ['support'], ['sales', 'support']]) {
    refused(await client.post('/v1/members', { email: newGuest(), role: 'qa', agents }), 403, sentence)
    refused(await client.patch(`/v1/members/${target.id}`, { agents }), 403, sentence)
    refused(await client.patch(`/v1/members/${id}`, { agents }), 403, sentence)
  }
  refused(await client.post('/v1/members', { email: newGuest(), role: 'qa' }), 403, sentence)
  assert.equal(
    (await client.post('/v1/members', { email: newGuest(), role: 'qa', agents: ['billing'] })).status,
    201,
  )
  assert.deepEqual((await client.patch(`/v1/members/${id}`, { agents: ['billing'] })).body.agents, [
    'billing',
  ])
})

test('within the seats, past them 429, and an existing member is 409 first (I-283, I-289, I-513, ID-109)', async () => {
  const org = await deployment.newOrg()
  const { client, email } = await org.person('admin')
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 1 })
  refused(await client.post('/v1/members', { email, role: 'qa' }), 409, `${email} is already a member`)
  refused(
    await client.post('/v1/members', { email: newGuest(), role: 'qa' }),
    429,
    `org ${org.slug} has used 1 of its 1 seats: credits.exhausted`,
  )
})
