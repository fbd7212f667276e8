import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, sql } = deployment
let guests = 0
const newGuest = () => `guest-${(guests += 1)}@example.com`
const grantSentence = (role: string) =>
  `this key does not open everything ${role} would: it opens calls · talk · words · evals · numbers · keys · providers · team, so it cannot grant ${role}`

test('a link to choose a new password is made for an active member, once and for a week (I-079, I-081, I-281, I-282, I-302, I-507, I-519, ID-01, ID-98)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('qa')
  const { status, body } = await client.post(`/v1/members/${target.id}/reset`)
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body).toSorted(), ['expires_at', 'link', 'mailed', 'member', 'token'])
  assert.deepEqual(
    [body.member.id, body.mailed, body.link],
    [target.id, false, `https://switchroom.test/invitations/${body.token}`],
  )
  assert.equal(
    (await anonymous.post(`/v1/invitations/${body.token}`, { password: 'a new password' })).body.member.id,
    target.id,
  )
  refused(
    await anonymous.post(`/v1/invitations/${body.token}`, { password }),
    404,
    'that link is spent or was never made',
  )
  assert.equal(
    (await anonymous.post('/v1/login', { email: target.email, password: 'a new password' })).status,
    200,
  )
  refused(await target.client.get('/v1/whoami'), 401, 'this key opens nothing')

  const invited = await org.invite(newGuest(), 'qa')
  await sql(`update members set name = 'Ina' where id = $1`, [invited.id])
  refused(await client.post(`/v1/members/${invited.id}/reset`), 409, 'Ina is not active')
  await client.patch(`/v1/members/${target.id}`, { status: 'disabled' })
  refused(await client.post(`/v1/members/${target.id}/reset`), 409, 'A qa is not active')
})

test('a handed reset of a proven person makes the address unproven, and is null for a person in another org (ID-57, ID-74, ID-75, T-30, T-34)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const target = await org.person('qa')
  const { token } = (await client.post(`/v1/members/${target.id}/reset`)).body
  assert.equal((await anonymous.post(`/v1/invitations/${token}`, { password })).body.member.verified, false)
  const standing = (await client.post(`/v1/members/${target.id}/reset`)).body.token
  await (await deployment.newOrg()).invite(target.email, 'qa')
  refused(
    await anonymous.post(`/v1/invitations/${standing}`, { password }),
    404,
    'that link is spent or was never made',
  )
  const { body } = await client.post(`/v1/members/${target.id}/reset`)
  assert.deepEqual([body.token, body.link, body.mailed], [null, null, false])
})

test('no member resets another who holds more than they do (ID-50, T-36)', async () => {
  const org = await deployment.newOrg()
  const [admin, producer] = [await org.person('admin'), await org.person('qa', { production: true })]
  const manager = await org.person('manager')
  refused(await manager.client.post(`/v1/members/${admin.id}/reset`), 403, grantSentence('admin'))
  refused(
    await manager.client.post(`/v1/members/${producer.id}/reset`),
    403,
    'A manager has no production access: an admin gives it in Team',
  )
  const narrowed = await org.person('manager', { agents: ['sales'] })
  const free = await org.person('qa')
  refused(await narrowed.client.post(`/v1/members/${free.id}/reset`), 403, 'this key works on sales alone')
  assert.equal(
    (
      await sql('select from invitations where purpose = $1 and member in ($2, $3, $4)', [
        'reset',
        admin.id,
        producer.id,
        free.id,
      ])
    ).rowCount,
    0,
  )
})
