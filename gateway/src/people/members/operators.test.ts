import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password, startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { resetTokenTo, startSquattingDeployment } from '../../../testing/people/squatted-address.ts'

const mailing = await startSquattingDeployment()
const mute = await startDeployment()
after(async () => {
  await mailing[Symbol.asyncDispose]()
  await mute[Symbol.asyncDispose]()
})

const spent = 'that link is spent or was never made'
const beyond = (name: string) =>
  `${name} is an operator of the platform: only an operator changes, resets or removes them`
const mailOnly = (name: string) =>
  `${name} is an operator, whose link only the platform's mailbox may carry: set one up with PUT /v1/ops/mail`
const linksOf = async ({ sql }: Deployment, member: string) =>
  (await sql('select from invitations where member = $1', [member])).rowCount
const setOperator = ({ operator }: Deployment, slug: string, id: string, wanted: boolean) =>
  operator.put(`/v1/ops/orgs/${slug}/members/${id}/operator`, { operator: wanted })

test('an admin who is no operator neither resets, changes nor removes a member who is one (ID-50, ID-106)', async () => {
  for (const deployment of [mailing, mute]) {
    const org = await deployment.newOrg()
    const admin = await org.person('admin')
    const olga = await org.person('admin', { operator: true })
    const path = `/v1/members/${olga.id}`
    refused(await admin.client.post(`${path}/reset`), 403, beyond('A admin'))
    for (const change of [
      { role: 'qa' },
      { agents: ['sales'] },
      { status: 'disabled' },
      { role: 'developer', production: false },
    ])
      refused(await admin.client.patch(path, change), 403, beyond('A admin'))
    refused(await admin.client.delete(path), 403, beyond('A admin'))
    assert.equal(await linksOf(deployment, olga.id), 0)
    assert.equal((await olga.client.get('/v1/ops/whoami')).status, 200)

    const other = await org.person('admin', { operator: true })
    assert.equal((await other.client.patch(path, { role: 'developer' })).status, 200)
    assert.equal((await other.client.delete(path)).status, 204)
  }
})

test("the reset of an operator goes by the platform's mailbox alone, even when an operator asks (ID-50)", async () => {
  const org = await mailing.newOrg()
  const [olga, other] = [
    await org.person('admin', { operator: true }),
    await org.person('admin', { operator: true }),
  ]
  const { status, body } = await other.client.post(`/v1/members/${olga.id}/reset`)
  assert.deepEqual([status, body.token, body.link, body.mailed], [201, null, null, true])
  const token = await resetTokenTo(mailing.mail, olga.email)
  const accepted = await mailing.anonymous.post(`/v1/invitations/${token}`, { password: 'a new password' })
  assert.deepEqual([accepted.body.member.id, accepted.body.member.verified], [olga.id, true])
})

test('if nothing can be mailed, the reset of an operator is refused, and no link is made (ID-50)', async () => {
  const org = await mute.newOrg()
  const [olga, other] = [
    await org.person('admin', { operator: true }),
    await org.person('admin', { operator: true }),
  ]
  refused(await other.client.post(`/v1/members/${olga.id}/reset`), 409, mailOnly('A admin'))
  assert.equal(await linksOf(mute, olga.id), 0)
})

test('a link handed out before its person became operator is dead, in their org and in another (ID-50)', async () => {
  for (const deployment of [mailing, mute]) {
    const org = await deployment.newOrg()
    const admin = await org.person('admin')
    const ana = await org.person('qa')
    const { token } = (await admin.client.post(`/v1/members/${ana.id}/reset`)).body
    assert.notEqual(token, null)
    assert.equal((await setOperator(deployment, org.slug, ana.id, true)).status, 200)
    refused(await deployment.anonymous.post(`/v1/invitations/${token}`, { password }), 404, spent)
    assert.equal((await setOperator(deployment, org.slug, ana.id, false)).status, 200)
    assert.equal((await deployment.anonymous.post(`/v1/invitations/${token}`, { password })).status, 200)
  }
  const [home, other] = [await mute.newOrg(), await mute.newOrg()]
  const email = 'bo@example.com'
  const handed = await home.invite(email, 'admin') // by the operator's word, which proves
  const invited = await mute.operator.post(`/v1/ops/orgs/${other.slug}/members`, { email, operator: true })
  assert.deepEqual([invited.status, invited.body.token, invited.body.mailed], [201, null, false])
  refused(await mute.anonymous.post(`/v1/invitations/${handed.token}`, { password }), 404, spent)
})

test("an operator's invitation goes by the platform's mailbox; without one only the platform's own key is handed it (ID-36, ID-50)", async () => {
  const mailed = await mailing.operator.post(`/v1/ops/orgs/${(await mailing.newOrg()).slug}/members`, {
    email: 'olga@example.com',
    operator: true,
  })
  assert.deepEqual(
    [mailed.status, mailed.body.token, mailed.body.link, mailed.body.mailed],
    [201, null, null, true],
  )

  const org = await mute.newOrg()
  const olga = await org.person('admin', { operator: true })
  const path = `/v1/ops/orgs/${org.slug}/members`
  const wanted = { email: 'otto@example.com', name: 'Otto', operator: true }
  refused(await olga.client.post(path, wanted), 409, mailOnly('Otto'))
  const handed = await mute.operator.post(path, wanted)
  const accepted = await mute.anonymous.post(`/v1/invitations/${handed.body.token}`, { password })
  assert.deepEqual([accepted.status, accepted.body.member.verified], [200, true])
  assert.equal((await mute.anonymous.as(accepted.body.key).get('/v1/ops/whoami')).status, 200)
})

test("an org's own mailbox never carries the link of an operator (ID-50, ID-76)", async () => {
  const org = await mute.newOrg()
  const [admin, olga] = [
    await org.person('admin', { operator: true }),
    await org.person('admin', { operator: true }),
  ]
  const mailbox = { host: 'mail.example.com', port: 587, security: 'starttls', from: 'a@example.com' }
  assert.equal((await admin.client.put('/v1/org/mail', mailbox)).status, 200)
  refused(await admin.client.post(`/v1/members/${olga.id}/reset`), 409, mailOnly('A admin'))
  assert.equal((await mute.sql('select from letters')).rowCount, 0)
})
