import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password, noLimit, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, sql } = deployment
let guests = 0
const newGuest = () => `guest-${(guests += 1)}@example.com`

test('a change touches the named fields alone and answers the member (I-277, I-278, I-279, ID-12, ID-98)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('developer', { agents: ['sales'] })
  const read = async () =>
    (await client.get('/v1/members')).body.members.find((member: { id: string }) => member.id === target.id)
  const before = await read()
  const change = async (fields: object) => (await client.patch(`/v1/members/${target.id}`, fields)).body
  assert.deepEqual(await change({}), before)
  assert.deepEqual(await change({ agents: ['billing', 'billing'] }), { ...before, agents: ['billing'] })
  assert.deepEqual(await change({ production: true }), { ...before, agents: ['billing'], production: true })
  assert.deepEqual(await change({ role: 'qa' }), {
    ...before,
    agents: ['billing'],
    production: true,
    role: 'qa',
    scopes: ['calls', 'evals'],
  })
  assert.deepEqual(await read(), await change({}))
  refused(await client.patch(`/v1/members/${target.id}`, { role: null }), 422, 'role: must be a string')
  refused(await client.patch('/v1/members/mem_nobody', {}), 404, 'there is no such member')
})

test('no member changes their own role, production or status; naming the current value is no change (I-140, I-294, I-295, I-296, I-504, ID-102, T-47)', async () => {
  const org = await deployment.newOrg()
  const { client, id } = await org.person('manager')
  const admin = await org.person('admin')
  const own = (fields: object) => client.patch(`/v1/members/${id}`, fields)
  refused(await own({ role: 'qa' }), 409, 'nobody changes their own role')
  refused(await own({ status: 'disabled' }), 409, 'nobody changes their own status')
  refused(
    await admin.client.patch(`/v1/members/${admin.id}`, { role: 'qa', production: false }),
    409,
    'nobody changes their own role',
  )
  const having = await org.person('manager', { production: true })
  refused(
    await having.client.patch(`/v1/members/${having.id}`, { production: false }),
    409,
    'nobody changes their own production',
  )
  assert.equal((await own({ role: 'manager', production: false, status: 'active' })).status, 200)
  assert.deepEqual((await own({ agents: ['sales'] })).body.agents, ['sales'])
})

test('an admin always opens production: becoming one gives it, and no member takes it away (I-297, I-298, I-505, ID-52, ID-103, T-48, T-49)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('qa')
  const change = (fields: object) => client.patch(`/v1/members/${target.id}`, fields)
  assert.equal((await change({ role: 'admin' })).body.production, true)
  const sentence = 'A qa is an admin: an admin always opens production'
  refused(await change({ production: false }), 409, sentence)
  refused(await change({ agents: ['sales'], production: false }), 409, sentence)
  assert.deepEqual((await change({})).body.agents, [])
  assert.equal((await change({ role: 'developer' })).body.production, true)
  refused(await change({ role: 'admin', production: false }), 409, sentence)
  assert.deepEqual(
    [(await change({ role: 'qa', production: false })).body.production, (await change({})).body.role],
    [false, 'qa'],
  )
})

test('an invited seat is taken by its person alone (I-138, I-299, I-484, ID-101, T-50)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const { id } = await org.invite(newGuest(), 'qa')
  await sql(`update members set name = 'Ina' where id = $1`, [id])
  const change = (status: string) => client.patch(`/v1/members/${id}`, { status })
  refused(await change('active'), 400, 'Ina has not taken the seat: only they can')
  refused(await change('disabled'), 400, 'Ina is still invited: remove them instead')
  refused(
    await client.patch(`/v1/members/${(await org.person('qa')).id}`, { status: 'invited' }),
    400,
    'status cannot be set to invited: invite the person again',
  )
  refused(await change('gone'), 400, 'status is active or disabled')
  assert.equal((await change('invited')).body.status, 'invited')
})

test('disabling ends every key at once, enabling again revives none, and the person signs in anew (I-065, I-139, I-141, I-142, I-166, ID-100, T-28)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('qa')
  const burst = Array.from({ length: 30 }, () => target.client.get('/v1/whoami'))
  const disabled = await client.patch(`/v1/members/${target.id}`, { status: 'disabled' })
  assert.equal(disabled.body.status, 'disabled')
  refused(await target.client.get('/v1/whoami'), 401, 'this key opens nothing')
  for (const { status } of await Promise.all(burst)) assert.ok(status === 200 || status === 401)
  const { keys } = (await client.get('/v1/keys')).body
  const revoked = keys.filter((key: { created_by: string }) => key.created_by === target.id)
  assert.ok(revoked.every((key: { revoked_at: string | null }) => key.revoked_at !== null))
  assert.equal((await client.patch(`/v1/members/${target.id}`, { status: 'active' })).body.status, 'active')
  refused(await target.client.get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal((await anonymous.post('/v1/login', { email: target.email, password })).status, 200)
})

test('back from disabled the row takes a seat again, and needs a way to sign in (ID-40, ID-100, T-46)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('qa')
  await client.patch(`/v1/members/${target.id}`, { status: 'disabled' })
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 1 })
  const enable = () => client.patch(`/v1/members/${target.id}`, { status: 'active' })
  refused(await enable(), 429, `org ${org.slug} has used 1 of its 1 seats: credits.exhausted`)
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, noLimit)
  await sql('update persons set password_hash = null where email = $1', [target.email])
  refused(await enable(), 400, 'A qa has no password: remove and invite again')
  await org.requireProvider()
  assert.equal((await enable()).status, 200)
})

test('removing: never yourself, never the last active admin, anybody else at once (I-143, I-144, I-145, I-280, I-300, I-301, I-506, ID-99, ID-104, ID-105)', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const manager = await org.person('manager')
  refused(await admin.client.delete(`/v1/members/${admin.id}`), 409, 'you cannot remove yourself')
  refused(
    await manager.client.delete(`/v1/members/${admin.id}`),
    409,
    `A admin is the last active admin of ${org.slug}`,
  )
  refused(
    await manager.client.patch(`/v1/members/${admin.id}`, { status: 'disabled' }),
    409,
    `A admin is the last active admin of ${org.slug}`,
  )
  refused(
    await manager.client.patch(`/v1/members/${admin.id}`, { role: 'qa' }),
    409,
    `A admin is the last active admin of ${org.slug}`,
  )
  const { status, text } = await admin.client.delete(`/v1/members/${manager.id}`)
  assert.deepEqual([status, text], [204, ''])
  refused(await manager.client.get('/v1/whoami'), 401, 'this key opens nothing')
  const foreign = await (await deployment.newOrg()).person('qa')
  for (const answer of [
    await admin.client.delete(`/v1/members/${foreign.id}`),
    await admin.client.post(`/v1/members/${foreign.id}/reset`),
    await admin.client.patch(`/v1/members/${foreign.id}`, {}),
  ])
    refused(answer, 404, 'there is no such member')
})

test('two admins who remove, disable or demote each other concurrently leave one, every time (I-145, T-43)', async () => {
  const ways = [
    (client: typeof anonymous, id: string) => client.delete(`/v1/members/${id}`),
    (client: typeof anonymous, id: string) => client.patch(`/v1/members/${id}`, { status: 'disabled' }),
    (client: typeof anonymous, id: string) => client.patch(`/v1/members/${id}`, { role: 'qa' }),
  ]
  for (let round = 0; round < 12; round += 1) {
    const org = await deployment.newOrg()
    const [one, two] = [await org.person('admin'), await org.person('admin')]
    const way = ways[round % ways.length] as (typeof ways)[0]
    const answers = await Promise.all([way(one.client, two.id), way(two.client, one.id)])
    assert.equal(
      answers.filter(({ status }) => status < 300).length,
      1,
      answers.map(({ text }) => text).join(),
    )
    const { rows } = await sql(
      `select from members where org = $1 and role = 'admin' and status = 'active'`,
      [org.id],
    )
    assert.equal(rows.length, 1)
  }
})

test('a person with the scope team may also change and remove members with more rights, but grant only their own (ID-106)', async () => {
  const org = await deployment.newOrg()
  const [manager, admin, other] = [
    await org.person('manager'),
    await org.person('admin'),
    await org.person('admin'),
  ]
  assert.deepEqual(
    (await manager.client.patch(`/v1/members/${admin.id}`, { agents: ['sales'] })).body.agents,
    ['sales'],
  )
  assert.equal((await manager.client.patch(`/v1/members/${admin.id}`, { status: 'disabled' })).status, 200)
  assert.equal((await manager.client.delete(`/v1/members/${admin.id}`)).status, 204)
  refused(
    await manager.client.patch(`/v1/members/${manager.id}`, { role: 'admin' }),
    403,
    /so it cannot grant admin$/,
  )
  assert.equal((await other.client.get('/v1/whoami')).status, 200)
})
