import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password } from '../../../testing/deployment.ts'
import { Browser, loginCode, startSsoDeployment } from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator } = deployment

test('an org that signs in only with its provider is entered by no other door, and keys already made live on (I-389, ID-146, T-41)', async () => {
  const org = await deployment.ssoOrg()
  const elsewhere = await deployment.newOrg()
  const { client: admin, email: adminEmail, id: adminId } = org.admin
  const email = `ana@${org.domain}`
  const home = (await operator.post(`/v1/ops/orgs/${elsewhere.slug}/members`, { email })).body
  const ana = (await anonymous.post(`/v1/invitations/${home.token}`, { password })).body
  const handed = `bo@${org.domain}`
  const { token: invitation } = (await admin.post('/v1/members', { email: handed, role: 'qa' })).body
  assert.equal((await admin.post('/v1/members', { email, role: 'qa' })).status, 201)
  const { token: reset } = (await admin.post(`/v1/members/${adminId}/reset`)).body
  assert.equal((await admin.put('/v1/org/sso', { ...org.body, required: true })).status, 200)

  const sentence = `${org.slug} signs in with its provider: /v1/login/sso?org=${org.slug}`
  refused(await anonymous.post('/v1/login', { email, password, org: org.slug }), 403, sentence)
  refused(await anonymous.post('/v1/login', { email: adminEmail, password }), 403, sentence)
  refused(await anonymous.as(ana.key).post('/v1/login/org', { org: org.slug }), 403, sentence)
  for (const token of [invitation, reset])
    refused(await anonymous.post(`/v1/invitations/${token}`, { password: 'another password' }), 403, sentence)

  const { members } = (await admin.get('/v1/members')).body
  const statuses = members.map((member: { status: string }) => member.status)
  assert.deepEqual(statuses, ['active', 'invited', 'invited'])
  for (const invited of [email, handed])
    loginCode(await new Browser(deployment).signIn(deployment, org.slug, { email: invited }))
})
