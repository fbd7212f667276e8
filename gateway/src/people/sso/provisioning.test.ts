import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password } from '../../../testing/deployment.ts'
import type { Account } from '../../../testing/people/identity-provider.ts'
import {
  Browser,
  loginCode,
  newDomain,
  refusedAtConsole,
  startSsoDeployment,
  type SsoOrg,
} from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, provider, prove } = deployment

const signIn = (org: { slug: string }, account: Account) =>
  new Browser(deployment).signIn(deployment, org.slug, account)

async function memberOf(org: SsoOrg, email: string) {
  const { members } = (await org.admin.client.get('/v1/members')).body
  return members.find((member: { email: string }) => member.email === email)
}

const invite = async (org: SsoOrg, body: object) => {
  const answer = await org.admin.client.post('/v1/members', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

const limitSeats = async ({ slug }: SsoOrg, seats: number) => {
  const unlimited = { minutes: null, messages: null, agents: null, concurrent_calls: null, numbers: null }
  const answer = await operator.put(`/v1/ops/orgs/${slug}/quotas`, { ...unlimited, seats })
  assert.equal(answer.status, 200, answer.text)
}

test('a stranger of the domain is seated with the role, proven and without a list (I-383, I-400, ID-57, ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'supervisor' })
  const email = `ana@${org.domain}`
  loginCode(await signIn(org, { email: `Ana@${org.domain}`, email_verified: true, name: ' Ana\nde Souza ' }))
  const member = await memberOf(org, email)
  assert.deepEqual(member, {
    id: member.id,
    scopes: ['calls', 'talk', 'words', 'evals'],
    email,
    name: 'Ana de Souza',
    role: 'supervisor',
    agents: [],
    status: 'active',
    operator: false,
    production: false,
    verified: true,
  })
})

test('an admin seated by the provider opens production, and a person without a name is called by the address (ID-52, ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'admin' })
  for (const [address, name] of [
    [`bo@${org.domain}`, undefined],
    [`cy@${org.domain}`, '  '],
  ] as const) {
    loginCode(await signIn(org, { email: address, ...(name && { name }) }))
    const member = await memberOf(org, address)
    assert.deepEqual([member.name, member.production], [address.slice(0, 2), true])
  }
})

test('an active person signs in again and stays who they are (ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const email = `ana@${org.domain}`
  loginCode(await signIn(org, { email, name: 'Ana' }))
  const before = await memberOf(org, email)
  loginCode(await signIn(org, { email, name: 'Somebody else' }))
  assert.deepEqual(await memberOf(org, email), before)
})

test('an invited person takes the seat they were invited to, and the link is dead (I-400, ID-81, ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const email = `ana@${org.domain}`
  const invited = await invite(org, { email, name: 'Ana', role: 'developer', agents: ['sales'] })
  await limitSeats(org, 2)
  loginCode(await signIn(org, { email, name: 'Another' }))
  const { status, role, agents, name, verified } = await memberOf(org, email)
  assert.deepEqual([status, role, agents, name, verified], ['active', 'developer', ['sales'], 'Ana', true])
  refused(
    await anonymous.post(`/v1/invitations/${invited.token}`, { password }),
    404,
    'that link is spent or was never made',
  )
})

test('without a role a stranger is refused (ID-151, ID-152)', async () => {
  const org = await deployment.ssoOrg()
  const email = `ana@${org.domain}`
  refusedAtConsole(await signIn(org, { email }), `${email} is not invited to ${org.slug}`)
  assert.equal(await memberOf(org, email), undefined)
})

test('a disabled person is refused (ID-64, ID-151, ID-152)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const email = `ana@${org.domain}`
  loginCode(await signIn(org, { email }))
  const { id } = await memberOf(org, email)
  assert.equal((await org.admin.client.patch(`/v1/members/${id}`, { status: 'disabled' })).status, 200)
  refusedAtConsole(await signIn(org, { email }), `${email} is disabled in ${org.slug}`)
  assert.equal((await memberOf(org, email)).status, 'disabled')
})

test('past the seats a stranger is refused (ID-40, ID-151, ID-152)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  await limitSeats(org, 1)
  refusedAtConsole(
    await signIn(org, { email: `ana@${org.domain}` }),
    `org ${org.slug} has used 1 of its 1 seats: credits.exhausted`,
  )
})

test('until the domain is verified by this org, no person of it is seated (I-388, ID-152, T-80)', async () => {
  const domain = newDomain()
  await deployment.ssoOrg({ domains: [domain], role: 'qa' })
  const org = await deployment.ssoOrg({ role: 'qa' })
  const body = { ...org.body, domains: [domain] }
  assert.equal((await org.admin.client.put('/v1/org/sso', body)).status, 200)
  const email = `ana@${domain}`
  refusedAtConsole(await signIn(org, { email }), `${email} is not of a proven domain`)
  assert.equal(await memberOf(org, email), undefined)
  assert.equal((await prove(org.admin.client, domain)).status, 200)
  loginCode(await signIn(org, { email }))
})

test('a password that a person set without proof is forgotten when the provider proves the address (ID-57, ID-58, T-35)', async () => {
  const [evil, corp] = [await deployment.ssoOrg(), await deployment.ssoOrg({ role: 'qa' })]
  const email = `ana@${corp.domain}`
  const { token } = await invite(evil, { email, role: 'qa' })
  assert.equal((await anonymous.post(`/v1/invitations/${token}`, { password })).status, 200)
  assert.equal((await memberOf(evil, email)).verified, false)
  loginCode(await signIn(corp, { email }))
  assert.equal((await memberOf(evil, email)).verified, true)
  for (const { slug } of [corp, evil])
    refused(
      await anonymous.post('/v1/login', { email, password, org: slug }),
      401,
      'nobody answers to that email and password',
    )
})

test('a key that was made before the provider proved the address dies, its seat waits again and its handed links are dead (ID-58, ID-73)', async () => {
  const [evil, corp] = [await deployment.ssoOrg(), await deployment.ssoOrg({ role: 'qa' })]
  const email = `ana@${corp.domain}`
  const { token, member } = await invite(evil, { email, role: 'admin' })
  const { body } = await anonymous.post(`/v1/invitations/${token}`, { password })
  const reset = (await evil.admin.client.post(`/v1/members/${member.id}/reset`)).body.token
  const squatter = anonymous.as(body.key)
  const { code } = (await squatter.post('/v1/login/codes')).body
  const browser = new Browser(deployment)
  const real = (await browser.redeem(loginCode(await browser.signIn(deployment, corp.slug, { email })))).body
  refused(await squatter.post('/v1/login/org', { org: corp.slug }), 401, 'this key opens nothing')
  refused(await anonymous.post('/v1/login', { code }), 404, 'that code is spent or was never made')
  refused(
    await anonymous.post(`/v1/invitations/${reset}`, { password }),
    404,
    'that link is spent or was never made',
  )
  assert.equal((await memberOf(evil, email)).status, 'invited')
  assert.equal((await anonymous.as(real.key).get('/v1/whoami')).body.org, corp.id)
  refused(
    await anonymous.as(real.key).post('/v1/login/org', { org: evil.slug }),
    403,
    `${email} is invited to ${evil.slug}: accept the invitation first`,
  )
})

test('a key of the same row, made without proof, dies when its own provider proves the address (ID-58, ID-73)', async () => {
  const org = await deployment.ssoOrg()
  const email = `ana@${org.domain}`
  const { token } = await invite(org, { email, role: 'qa' })
  const { body } = await anonymous.post(`/v1/invitations/${token}`, { password })
  loginCode(await signIn(org, { email }))
  refused(await anonymous.as(body.key).get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal((await memberOf(org, email)).status, 'active')
})

test('a password that was proven stays (ID-57, ID-58)', async () => {
  const corp = await deployment.ssoOrg({ role: 'qa' })
  const email = `ana@${corp.domain}`
  const elsewhere = await deployment.newOrg()
  const { body } = await operator.post(`/v1/ops/orgs/${elsewhere.slug}/members`, { email })
  assert.equal((await anonymous.post(`/v1/invitations/${body.token}`, { password })).status, 200)
  loginCode(await signIn(corp, { email }))
  const signedIn = await anonymous.post('/v1/login', { email, password, org: corp.slug })
  assert.equal(signedIn.status, 200, signedIn.text)
})

test('a provider that was changed or deleted while a person was away does not sign that person in (I-403, T-82)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const begun = async (browser: Browser, name: string) =>
    provider.signIn((await browser.begin(org.slug)).href, { email: `${name}@${org.domain}` })
  const [ana, bo] = [new Browser(deployment), new Browser(deployment)]
  const [anas, bos] = [await begun(ana, 'ana'), await begun(bo, 'bo')]
  const { issuer } = deployment.hostile
  assert.equal((await org.admin.client.put('/v1/org/sso', { ...org.body, issuer })).status, 200)
  refusedAtConsole(await ana.finish(anas), 'no provider signs in there')
  assert.equal((await org.admin.client.delete('/v1/org/sso')).status, 204)
  refusedAtConsole(await bo.finish(bos), 'no provider signs in there')
  assert.equal((await org.admin.client.get('/v1/members')).body.members.length, 1)
})
