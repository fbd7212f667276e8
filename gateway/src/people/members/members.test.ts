import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer } from '../../../testing/client.ts'
import { password, noLimit, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator, anonymous } = deployment
const invite = (org: { slug: string }, body: object) =>
  operator.post(`/v1/ops/orgs/${org.slug}/members`, body)

test('an invitation answers the invited member and a link for a week (I-085, I-086, I-087, I-089, I-091, I-092, I-093, I-094, I-095, I-276, I-288, I-519, ID-01, ID-36, ID-77)', async () => {
  const org = await deployment.newOrg()
  const before = Date.now()
  const answer = await invite(org, {
    email: ' Ana@Example.COM ',
    name: 'Ana',
    role: 'supervisor',
    agents: ['sales', 'billing', 'sales'],
    production: true,
  })
  assert.equal(answer.status, 201)
  const { member, token, expires_at, mailed, link } = answer.body
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['expires_at', 'link', 'mailed', 'member', 'token'])
  assert.deepEqual(member, {
    id: member.id,
    email: 'ana@example.com',
    name: 'Ana',
    role: 'supervisor',
    agents: ['sales', 'billing'],
    status: 'invited',
    scopes: ['calls', 'talk', 'words', 'evals'],
    operator: false,
    production: true,
    verified: false,
  })
  assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(link, `https://switchroom.test/invitations/${token}`)
  assert.equal(mailed, false)
  const lifeMs = Date.parse(expires_at) - before
  assert.ok(lifeMs >= 604_800_000 && lifeMs < 604_860_000)
})

test('an invitation by the operator is an admin with the text before @ as name unless it says otherwise (ID-03, ID-37, ID-52, T-49)', async () => {
  const { body } = await invite(await deployment.newOrg(), { email: 'bo@example.com', production: false })
  const { name, role, production, agents } = body.member
  assert.deepEqual([name, role, production, agents], ['bo', 'admin', true, []])
})

test('a role is one of five, an address is one, an agent is a slug: otherwise 400 and no person is invited (I-088, ID-02, ID-13)', async () => {
  const org = await deployment.newOrg()
  refused(
    await invite(org, { email: 'a@example.com', role: 'owner' }),
    400,
    'role is one of admin, developer, manager, qa, supervisor',
  )
  refused(await invite(org, { email: 'nonsense' }), 400, 'that is not an email address')
  refused(
    await invite(org, { email: 'a@example.com', name: '' }),
    400,
    'a name is one line of 1 to 100 characters',
  )
  refused(
    await invite(org, { email: 'a@example.com', agents: ['No'] }),
    400,
    `agents holds "No", which is not an agent's slug`,
  )
  refused(await invite(org, {}), 422, 'email: is required')
  refused(await invite({ slug: 'nowhere' }, { email: 'a@example.com' }), 404, 'there is no org nowhere')
  assert.deepEqual((await operator.get(`/v1/ops/orgs/${org.slug}/members`)).body, { members: [] })
  for (const role of ['admin', 'developer', 'manager', 'qa', 'supervisor'])
    assert.equal((await invite(org, { email: `${role}@example.com`, role })).status, 201)
})

test('an address that is already a member is 409 in every spelling (I-289, I-503, ID-104, T-61)', async () => {
  const org = await deployment.newOrg()
  await invite(org, { email: 'Ana@x.com' })
  refused(await invite(org, { email: ' ana@X.com ' }), 409, 'ana@x.com is already a member')
})

test('of 20 invitations concurrently to one address exactly one is made (I-289)', async () => {
  const org = await deployment.newOrg()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => invite(org, { email: 'twin@example.com' })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers)
    if (answer.status !== 201) refused(answer, 409, 'twin@example.com is already a member')
})

test('the last seat under 20 invitations concurrently over two gateways goes to exactly one (I-283, I-513, ID-40, T-45)', async () => {
  const second = await deployment.another()
  const org = await deployment.newOrg()
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 3 })
  await org.person('qa')
  await org.person('qa')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? operator : second.operator).post(`/v1/ops/orgs/${org.slug}/members`, {
        email: `racer-${n}@example.com`,
      }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers)
    if (answer.status !== 201)
      refused(answer, 429, `org ${org.slug} has used 3 of its 3 seats: credits.exhausted`)
})

test('a disabled row holds no seat, and lowering the seats refuses only new ones (ID-38, ID-40, T-46)', async () => {
  const org = await deployment.newOrg()
  const { id, client } = await org.person('qa')
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 0 })
  assert.equal((await client.get('/v1/whoami')).status, 200)
  refused(
    await invite(org, { email: 'late@example.com' }),
    429,
    `org ${org.slug} has used 1 of its 0 seats: credits.exhausted`,
  )
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 1 })
  await deployment.sql(`update members set status = 'disabled' where id = $1`, [id])
  assert.equal((await invite(org, { email: 'late@example.com' })).status, 201)
})

test('the link of an address that is in another org, whatever its status there, is not handed out (I-286, I-287, ID-78, T-30)', async () => {
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  assert.notEqual((await invite(first, { email: 'both@example.com' })).body.token, null)
  const { status, body } = await invite(second, { email: 'both@example.com' })
  assert.equal(status, 201)
  assert.deepEqual([body.token, body.link, body.mailed], [null, null, false])
})

test('two orgs that invite one fresh address concurrently hand out one link (I-286, I-287)', async () => {
  const orgs = await Promise.all(Array.from({ length: 6 }, () => deployment.newOrg()))
  const answers = await Promise.all(orgs.map((org) => invite(org, { email: 'fresh@example.com' })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 201, 201, 201],
  )
  assert.equal(answers.filter(({ body }) => body.token !== null).length, 1)
})

test('members are listed oldest first, disabled ones included, each org its own (I-003, I-142, I-273, I-274, ID-11)', async () => {
  const [org, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const people = [await org.person('qa'), await org.person('admin'), await org.person('manager')]
  await other.person('qa')
  await deployment.sql(`update members set status = 'disabled' where id = $1`, [people[1]?.id])
  const { members } = (await operator.get(`/v1/ops/orgs/${org.slug}/members`)).body
  assert.deepEqual(
    members.map((member: { id: string }) => member.id),
    people.map(({ id }) => id),
  )
  assert.deepEqual(
    members.map((member: { status: string }) => member.status),
    ['active', 'disabled', 'active'],
  )
})

test('the operator makes an active member operator, and no longer (ID-36, ID-37, I-093)', async () => {
  const org = await deployment.newOrg()
  const { id, client } = await org.person('qa')
  const path = `/v1/ops/orgs/${org.slug}/members/${id}/operator`
  const { status, body } = await operator.put(path, { operator: true })
  assert.deepEqual([status, body.id, body.operator], [200, id, true])
  assert.equal((await client.get('/v1/ops/whoami')).status, 200)
  assert.equal((await operator.put(path, { operator: false })).body.operator, false)
  assert.equal((await client.get('/v1/ops/whoami')).status, 403)
})

test('only an active member is made operator, but an invitation may carry the flag (ID-35, ID-36, ID-37)', async () => {
  const org = await deployment.newOrg()
  const { body } = await invite(org, { email: 'op@example.com', name: 'Olga', operator: true })
  assert.equal(body.member.operator, true)
  const path = `/v1/ops/orgs/${org.slug}/members/${body.member.id}/operator`
  refused(await operator.put(path, { operator: true }), 409, 'Olga is not active')
  refused(await operator.put(path, { operator: null }), 422, 'operator: must be true or false')
  refused(
    await operator.put(`/v1/ops/orgs/${org.slug}/members/mem_x/operator`, { operator: true }),
    404,
    'there is no such member',
  )
  const accepted = await anonymous.post(`/v1/invitations/${body.token}`, { password })
  assert.equal((await anonymous.as(accepted.body.key).get('/v1/ops/whoami')).status, 200)
})

test('removing a member of any status ends their keys and links and frees the seat (I-143, I-146, I-147, I-148, ID-110)', async () => {
  const org = await deployment.newOrg()
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 2 })
  await org.person('admin')
  const { id, client, email } = await org.person('qa')
  const path = `/v1/ops/orgs/${org.slug}/members`
  const removed = await operator.delete(`${path}/${id}`)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  refused(await client.get('/v1/whoami'), 401, 'this key opens nothing')
  refused(await operator.delete(`${path}/${id}`), 404, 'there is no such member')

  const again = await invite(org, { email })
  assert.equal(again.status, 201)
  assert.notEqual(again.body.member.id, id)
  await operator.delete(`${path}/${again.body.member.id}`)
  refused(
    await anonymous.post(`/v1/invitations/${again.body.token}`, { password }),
    404,
    'that link is spent or was never made',
  )
})

test('a member of another org is not found in this one (I-003, T-27)', async () => {
  const [org, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const { id } = await other.person('qa')
  refused(await operator.delete(`/v1/ops/orgs/${org.slug}/members/${id}`), 404, 'there is no such member')
})

test('the last active admin stays: invited and disabled ones do not count (I-145, I-301, I-506, ID-37, ID-104, T-44)', async () => {
  const org = await deployment.newOrg()
  const { id } = await org.person('admin')
  await invite(org, { email: 'second@example.com' })
  const path = `/v1/ops/orgs/${org.slug}/members`
  refused(await operator.delete(`${path}/${id}`), 409, `A admin is the last active admin of ${org.slug}`)
})

test('two admins removed concurrently leave one, every time (I-145, T-43)', async () => {
  for (let round = 0; round < 10; round += 1) {
    const org = await deployment.newOrg()
    const admins = [await org.person('admin'), await org.person('admin')]
    const answers: Answer[] = await Promise.all(
      admins.map(({ id }) => operator.delete(`/v1/ops/orgs/${org.slug}/members/${id}`)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [204, 409],
    )
  }
})

test('with the last row of an address its password, proof and flag are forgotten (ID-45, T-42)', async () => {
  const org = await deployment.newOrg()
  await org.person('admin')
  const { id, email } = await org.person('qa', { operator: true })
  await operator.delete(`/v1/ops/orgs/${org.slug}/members/${id}`)
  assert.equal((await deployment.sql('select from persons where email = $1', [email])).rowCount, 0)
  const other = await deployment.newOrg()
  const { body } = await invite(other, { email })
  assert.notEqual(body.token, null)
  assert.deepEqual([body.member.verified, body.member.operator], [false, false])
})
