import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AuditedDeployment, byMember } from '../../testing/audit/audited-deployment.ts'
import { peopleRoutes } from '../../testing/audit/audited-routes.ts'
import { password } from '../../testing/deployment.ts'
import { client as ssoClient } from '../../testing/people/identity-provider.ts'
import { Browser, loginCode } from '../../testing/people/sso.ts'
import { pageKey } from '../../testing/telephony/page-keys.ts'
import { done } from '../../testing/agents/test-agents.ts'
import { until } from '../../testing/until.ts'

const audited = await AuditedDeployment.start()
after(() => audited[Symbol.asyncDispose]())
const { deployment, anonymous, dns, mail } = audited
const check = audited.audited.bind(audited)
const secret = audited.secret.bind(audited)

test('changes of people are recorded with who made them', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const body = { email: 'ana@example.com', role: 'qa', name: 'Ana' }
  const invited = await check('POST /v1/members', () => admin.client.post('/v1/members', body), {
    ...by,
    target: { kind: 'member', label: 'ana@example.com' },
  })
  const { id } = invited.body.member
  const ana = { kind: 'member', id, label: 'ana@example.com' } as const
  const own = { kind: 'person', subject: id, email: 'ana@example.com', name: 'Ana' } as const
  secret(invited.body.link)
  const accept = () => anonymous.post(`/v1/invitations/${secret(invited.body.token)}`, { password })
  const accepted = await check('POST /v1/invitations/:token', accept, {
    org: org.id,
    actor: own,
    target: ana,
  })
  secret(accepted.body.key)
  await check('PATCH /v1/members/:id', () => admin.client.patch(`/v1/members/${id}`, { role: 'manager' }), {
    ...by,
    target: ana,
  })
  assert.deepEqual((await audited.trail.last('member.changed')).detail, {
    role: { before: 'qa', after: 'manager' },
  })
  const reset = await check(
    'POST /v1/members/:id/reset',
    () => admin.client.post(`/v1/members/${id}/reset`),
    {
      ...by,
      target: ana,
    },
  )
  const use = () =>
    anonymous.post(`/v1/invitations/${secret(reset.body.token)}`, { password: secret('another good one') })
  const used = await check('POST /v1/invitations/:token', use, {
    actions: ['password.set'],
    actor: own,
    target: ana,
  })
  secret(used.body.key)
  assert.deepEqual((await audited.trail.last('password.set')).detail, { by: 'reset' })
  await check('DELETE /v1/members/:id', () => admin.client.delete(`/v1/members/${id}`), {
    ...by,
    target: ana,
  })
})

test('signing in is recorded, by whatever way', async () => {
  const { org, admin } = await audited.newOrg()
  const { email } = admin
  const key = { org: org.id, actor: byMember(admin), target: { kind: 'key' } } as const
  const signedIn = await check('POST /v1/login', () => anonymous.post('/v1/login', { email, password }), {
    ...key,
    actions: ['person.signed_in'],
  })
  secret(signedIn.body.key)
  const { code } = done(await admin.client.post('/v1/login/codes'))
  const byCode = { ...key, actions: ['person.signed_in' as const] }
  await check('POST /v1/login', () => anonymous.post('/v1/login', { code: secret(code) }), byCode)
  assert.deepEqual((await audited.trail.last('person.signed_in')).detail, { by: 'code' })

  const elsewhere = await deployment.newOrg()
  const second = await elsewhere.join(email, 'qa')
  await check('POST /v1/login/org', () => admin.client.post('/v1/login/org', { org: elsewhere.slug }), {
    actions: ['person.signed_in'],
    org: elsewhere.id,
    actor: byMember(second),
    target: { kind: 'key' },
  })
  // By the proof of their address in another org, an invited seat is taken at the sign-in.
  const [third, fourth] = [await deployment.newOrg(), await deployment.newOrg()]
  await third.invite(email, 'qa')
  await fourth.invite(email, 'qa')
  const joining = ['member.joined', 'person.signed_in'] as const
  await check('POST /v1/login', () => anonymous.post('/v1/login', { email, password, org: third.slug }), {
    actions: [...joining],
    org: third.id,
    actor: { email },
    target: { kind: 'member', label: email },
  })
  await check('POST /v1/login/org', () => admin.client.post('/v1/login/org', { org: fourth.slug }), {
    actions: [...joining],
    org: fourth.id,
    actor: { email },
    target: { kind: 'member', label: email },
  })

  const pairing = done(await anonymous.post('/v1/login/pairings', { device: 'box' })).code
  await check(
    'POST /v1/login/pairings/:code',
    () => admin.client.post(`/v1/login/pairings/${secret(pairing)}`, {}),
    {
      ...key,
      actions: ['pairing.approved'],
    },
  )
  const collect = () => anonymous.get(`/v1/login/pairings/${pairing}/key`)
  secret((await check('GET /v1/login/pairings/:code/key', collect, key)).body.key)
  await check('POST /v1/login/reset', () => anonymous.post('/v1/login/reset', { email }), {
    actor: { kind: 'system' },
    target: { kind: 'member', label: email },
  })
})

test('an operator who goes into an org is recorded there as a visit', async () => {
  const { org } = await audited.newOrg()
  const theirs = await deployment.newOrg()
  const person = await audited.person(theirs, { operator: true })
  const visit = { actor: { ...byMember(person), visiting: true }, org: org.id }
  const entered = await check(
    'POST /v1/login/org',
    () => person.client.post('/v1/login/org', { org: org.slug }),
    {
      ...visit,
      actions: ['org.visited'],
      target: { kind: 'org', id: org.id, label: org.slug },
    },
  )
  const pairing = done(await anonymous.post('/v1/login/pairings', { device: 'box' })).code
  const approve = () => person.client.post(`/v1/login/pairings/${pairing}`, { org: org.slug })
  const { org: at } = visit
  await check('POST /v1/login/pairings/:code', approve, {
    actions: ['pairing.approved', 'org.visited'],
    org: at,
    actor: byMember(person),
    target: { kind: 'key' },
  })
  const body = { label: 'by a visitor', env: 'sandbox' }
  await check('POST /v1/keys', () => anonymous.as(entered.body.key).post('/v1/keys', body), {
    org: org.id,
    actor: { kind: 'person', email: person.email, visiting: true },
    target: { kind: 'key', label: 'by a visitor' },
  })
})

test('keys are recorded when they are made and revoked', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const make = () => admin.client.post('/v1/keys', { label: 'ci', env: 'production' })
  const made = await check('POST /v1/keys', make, { ...by, target: { kind: 'key', label: 'ci' } })
  assert.equal((await audited.trail.last('key.created')).env, 'production')
  secret(made.body.key)
  const { key_id } = made.body
  await check('POST /v1/keys/:fingerprint/revoke', () => admin.client.post(`/v1/keys/${key_id}/revoke`), {
    ...by,
    target: { kind: 'key', id: key_id, label: 'ci' },
  })
})

test('publishable keys are recorded when they are made and revoked', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const wanted = { ...pageKey('shop'), env: 'production' }
  const make = () => admin.client.post('/v1/publishable-keys', wanted)
  const target = { kind: 'publishable_key', label: 'shop' } as const
  const { id } = (await check('POST /v1/publishable-keys', make, { ...by, target })).body
  assert.equal((await audited.trail.last('publishable_key.created')).env, 'production')
  const revoke = () => admin.client.post(`/v1/publishable-keys/${id}/revoke`)
  await check('POST /v1/publishable-keys/:id/revoke', revoke, { ...by, target: { ...target, id } })
})

test('single sign-on is recorded when it is set, proven, used and removed', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const { issuer } = audited.provider
  const domain = 'audited.example'
  const body = { issuer, ...ssoClient, domains: [domain], role: 'qa', required: false }
  secret(ssoClient.client_secret)
  const set = await check('PUT /v1/org/sso', () => admin.client.put('/v1/org/sso', body), {
    ...by,
    target: { kind: 'sso', label: issuer },
  })
  audited.provider.register(set.body.redirect_uri)
  dns.set(domain, { TXT: [set.body.proofs[0].txt] })
  const verify = () => admin.client.post(`/v1/org/sso/domains/${domain}/verify`)
  await check('POST /v1/org/sso/domains/:domain/verify', verify, {
    ...by,
    target: { kind: 'domain', id: domain },
  })
  const email = `sam@${domain}`
  const browser = new Browser({ anonymous })
  const query = await audited.provider.signIn((await browser.begin(org.slug)).href, {
    email,
    email_verified: true,
  })
  const seated = await check('GET /v1/login/sso/callback/:org', () => browser.finish(query), {
    org: org.id,
    actor: { kind: 'person', email },
    target: { kind: 'member', label: email },
  })
  const redeem = () => browser.redeem(secret(loginCode(seated)))
  await check('POST /v1/login', redeem, {
    actions: ['person.signed_in'],
    org: org.id,
    actor: { kind: 'person', email },
    target: { kind: 'key' },
  })
  await check('DELETE /v1/org/sso', () => admin.client.delete('/v1/org/sso'), {
    ...by,
    target: { kind: 'sso', label: issuer },
  })
})

test('an org that signs up is recorded with its founder', async () => {
  const email = 'founder@example.com'
  done(await anonymous.post('/v1/signup', { org: 'founded', email, password }))
  const letter = await until('the code is there', () =>
    mail.letters().find(({ envelope }) => envelope.to.includes(email)),
  )
  const code = /\b\d{6}\b/.exec(letter.text)?.[0] ?? ''
  const founded = await check(
    'POST /v1/signup/verify',
    () => anonymous.post('/v1/signup/verify', { email, code }),
    {
      actor: { kind: 'person', email },
      target: { kind: 'org', label: 'founded' },
    },
  )
  secret(founded.body.key)
  secret(founded.body.login)
})

test('every action of these routes was seen above, and no secret is in the log', async () => {
  assert.deepEqual(audited.unseen(peopleRoutes), [])
  await audited.refuseSecretsInLog()
})
