import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { password } from '../../../testing/deployment.ts'
import { client } from '../../../testing/people/identity-provider.ts'
import { Browser, loginCode, newDomain, startSsoDeployment } from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { provider, hostile, anonymous, prove } = deployment

const redirectUri = async (admin: Client) =>
  `https://switchroom.test/v1/login/sso/callback/${(await admin.get('/v1/whoami')).body.org}`
const unconfigured = async (admin: Client) => ({
  configured: false,
  issuer: null,
  client_id: null,
  domains: [],
  role: null,
  required: false,
  redirect_uri: await redirectUri(admin),
  proofs: [],
})
const bodyWith = (others: object = {}) => ({
  issuer: provider.issuer,
  ...client,
  domains: [newDomain()],
  ...others,
})
const newAdmin = async () => (await (await deployment.newOrg()).person('admin')).client

test('an org without a provider reads the whole shape, with the address to register (I-115, ID-12, ID-136, ID-137)', async () => {
  const admin = await newAdmin()
  assert.deepEqual((await admin.get('/v1/org/sso')).body, await unconfigured(admin))
})

test('a provider is kept and reads back all but its secret (I-112, I-113, I-114, I-115, I-116, I-117, I-370, I-372, ID-01, ID-03, ID-137)', async () => {
  const admin = await newAdmin()
  const body = bodyWith({ domains: ['Corp.Example', 'corp.example.org'], role: 'qa' })
  const put = await admin.put('/v1/org/sso', body)
  assert.equal(put.status, 200, put.text)
  const { proofs, ...read } = put.body
  assert.deepEqual(read, {
    configured: true,
    issuer: provider.issuer,
    client_id: client.client_id,
    domains: ['corp.example', 'corp.example.org'],
    role: 'qa',
    required: false,
    redirect_uri: await redirectUri(admin),
  })
  assert.deepEqual(
    proofs.map(({ domain, verified }: { domain: string; verified: boolean }) => [domain, verified]),
    [
      ['corp.example', false],
      ['corp.example.org', false],
    ],
  )
  for (const { txt } of proofs) assert.match(txt, /^svc-verify=[0-9a-f]{32}$/)
  assert.deepEqual((await admin.get('/v1/org/sso')).body, put.body)
})

test('the secret is in no answer, no log line and not in the database in the clear (I-113, I-382, ID-29)', async () => {
  const admin = await newAdmin()
  const put = await admin.put('/v1/org/sso', bodyWith({ client_secret: 'hunter2-of-the-provider' }))
  const read = await admin.get('/v1/org/sso')
  const { rows } = await deployment.sql(
    `select encode(client_secret, 'escape') as kept from identity_providers`,
  )
  for (const text of [put.text, read.text, JSON.stringify(rows), deployment.log()])
    assert.equal(text.includes('hunter2'), false)
})

test('a secret left out or empty keeps the stored one of the same issuer and client (ID-138)', async () => {
  const admin = await newAdmin()
  const { client_secret: _, ...open } = bodyWith()
  refused(await admin.put('/v1/org/sso', open), 422, 'client_secret: is required')
  const org = await deployment.ssoOrg()
  const again = { ...open, domains: [org.domain], role: 'qa' }
  for (const kept of [again, { ...again, client_secret: '' }])
    assert.equal((await org.admin.client.put('/v1/org/sso', kept)).status, 200)
  for (const changed of [
    { ...again, client_id: 'another' },
    { ...again, issuer: hostile.issuer },
  ])
    refused(await org.admin.client.put('/v1/org/sso', changed), 422, 'client_secret: is required')
  loginCode(await new Browser(deployment).signIn(deployment, org.slug, { email: `ana@${org.domain}` }))
})

test('a body that is not of its shape is 422 (ID-02, ID-03)', async () => {
  const admin = await newAdmin()
  for (const [field, sentence] of [
    ['issuer', 'issuer: is required'],
    ['client_id', 'client_id: is required'],
    ['domains', 'domains: is required'],
  ] as const)
    refused(await admin.put('/v1/org/sso', bodyWith({ [field]: undefined })), 422, sentence)
  for (const [wrong, sentence] of [
    [{ domains: 'corp.example' }, 'domains: must be a list'],
    [{ domains: [7] }, 'domains.0: must be a string'],
    [{ client_secret: null }, 'client_secret: must be a string'],
    [{ required: null }, 'required: must be true or false'],
    [{ role: 7 }, 'role: must be a string or null'],
  ] as const)
    refused(await admin.put('/v1/org/sso', bodyWith(wrong)), 422, sentence)
})

test('values that a rule refuses are 400 and nothing is kept (ID-02, ID-139, I-381)', async () => {
  const admin = await newAdmin()
  const tooMany = Array.from({ length: 21 }, (_, n) => `d${n}.example`)
  for (const domains of [
    [],
    tooMany,
    ['localhost'],
    ['a.example', 'A.example'],
    ['a b.example'],
    ['a@corp.example'],
    ['10.0.0.1'],
    ['corp.example.'],
    [`${'a'.repeat(64)}.example`],
  ])
    refused(await admin.put('/v1/org/sso', bodyWith({ domains })), 400, 'domains is 1 to 20 domain names')
  refused(
    await admin.put('/v1/org/sso', bodyWith({ role: 'owner' })),
    400,
    'role is one of admin, developer, manager, qa, supervisor',
  )
  refused(
    await admin.put('/v1/org/sso', bodyWith({ client_id: ' ' })),
    400,
    'client_id is what the provider calls this client',
  )
  assert.deepEqual((await admin.get('/v1/org/sso')).body, await unconfigured(admin))
  assert.equal((await admin.put('/v1/org/sso', bodyWith({ domains: tooMany.slice(1) }))).status, 200)
})

test('all four endpoints need the scope team (I-369)', async () => {
  const { client: developer } = await (await deployment.newOrg()).person('developer')
  for (const [method, path] of [
    ['GET', '/v1/org/sso'],
    ['PUT', '/v1/org/sso'],
    ['DELETE', '/v1/org/sso'],
    ['POST', '/v1/org/sso/domains/corp.example/verify'],
  ] as const) {
    refused(await developer.send(method, path), 403, /^this key does not open team: it opens app · calls/)
    assert.equal((await anonymous.send(method, path)).status, 401)
  }
})

test('a role counts as granted by the key, measured by scopes (I-384, ID-50, T-51)', async () => {
  const { client: manager } = await (await deployment.newOrg()).person('manager')
  for (const role of ['qa', 'supervisor', 'manager', null])
    assert.equal((await manager.put('/v1/org/sso', bodyWith({ role }))).status, 200)
  const opens = 'calls · talk · words · evals · numbers · keys · providers · team'
  for (const role of ['developer', 'admin'])
    refused(
      await manager.put('/v1/org/sso', bodyWith({ role })),
      403,
      `this key does not open everything ${role} would: it opens ${opens}, so it cannot grant ${role}`,
    )
  assert.equal((await manager.get('/v1/org/sso')).body.role, null)
})

test('a sandbox token of every scope grants no admin, for an admin opens production (I-384, ID-52)', async () => {
  const org = await deployment.newOrg()
  const scopes = (await (await org.person('admin')).client.get('/v1/whoami')).body.scopes
  const token = await org.serverToken('sandbox', { scopes })
  refused(await token.client.put('/v1/org/sso', bodyWith({ role: 'admin' })), 403, /has no production access/)
  const small = await deployment.newOrg()
  await small.person('developer')
  const other = await small.serverToken('sandbox', { scopes })
  refused(await other.client.put('/v1/org/sso', bodyWith({ role: 'admin' })), 403, /has no production access/)
  assert.equal((await other.client.put('/v1/org/sso', bodyWith({ role: 'developer' }))).status, 200)
})

test('a person who works on some agents only sets no role, whose seats would have no list (ID-107)', async () => {
  const { client: narrowed } = await (await deployment.newOrg()).person('manager', { agents: ['sales'] })
  refused(await narrowed.put('/v1/org/sso', bodyWith({ role: 'qa' })), 403, 'this key works on sales alone')
  assert.equal((await narrowed.put('/v1/org/sso', bodyWith())).status, 200)
})

test('required is refused until one of the domains is verified, and nothing of that PUT is kept (I-389, I-510, ID-146, T-78)', async () => {
  const admin = await newAdmin()
  const body = bodyWith({ required: true })
  refused(await admin.put('/v1/org/sso', body), 409, 'no domain is verified yet')
  assert.deepEqual((await admin.get('/v1/org/sso')).body, await unconfigured(admin))

  assert.equal((await admin.put('/v1/org/sso', { ...body, required: false })).status, 200)
  assert.equal((await prove(admin, body.domains[0] ?? '')).status, 200)
  const kept = (await admin.put('/v1/org/sso', body)).body
  assert.equal(kept.required, true)
  refused(
    await admin.put('/v1/org/sso', { ...body, domains: [newDomain()] }),
    409,
    'no domain is verified yet',
  )
  assert.deepEqual((await admin.get('/v1/org/sso')).body, kept)
})

test('shape, values, granting, required, network: the first that refuses answers (ID-05, ID-139)', async () => {
  const { client: manager } = await (await deployment.newOrg()).person('manager')
  const silent = hostile.connections()
  const everythingWrong = {
    issuer: hostile.issuer,
    client_id: 'x',
    domains: ['nonsense'],
    role: 'admin',
    required: true,
  }
  const steps = [
    [{ client_secret: 'x' }, 422, 'client_secret: is required'],
    [{ domains: [newDomain()] }, 400, 'domains is 1 to 20 domain names'],
    [{ role: 'qa' }, 403, /so it cannot grant admin$/],
    [{ required: false }, 409, 'no domain is verified yet'],
    [{}, 400, 'the issuer did not answer discovery'],
  ] as const
  hostile.discovery = (response) => response.writeHead(500).end()
  let body: object = everythingWrong
  for (const [corrected, status, sentence] of steps) {
    assert.equal(hostile.connections(), silent)
    refused(await manager.put('/v1/org/sso', body), status, sentence)
    body = { ...body, ...corrected }
  }
  assert.equal(hostile.connections(), silent + 1)
  hostile.discovery = undefined
})

test('a failed PUT leaves the old provider as it was (I-381, T-77)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const before = (await org.admin.client.get('/v1/org/sso')).body
  const wrong = { ...org.body, issuer: `${hostile.issuer}/nobody`, domains: [newDomain()], role: 'admin' }
  refused(await org.admin.client.put('/v1/org/sso', wrong), 400, 'the issuer did not answer discovery')
  assert.deepEqual((await org.admin.client.get('/v1/org/sso')).body, before)
})

test('what changed while the issuer was asked is judged again (I-389, ID-138, T-77, T-78)', async () => {
  for (const [others, status, sentence] of [
    [{ required: true }, 409, 'no domain is verified yet'],
    [{ client_secret: '' }, 422, 'client_secret: is required'],
  ] as const) {
    const org = await deployment.ssoOrg({ issuer: hostile.issuer })
    const { client: admin } = org.admin
    hostile.discovery = (response) => {
      hostile.discovery = undefined
      void admin.delete('/v1/org/sso').then(() => response.end(JSON.stringify(hostile.described())))
    }
    refused(await admin.put('/v1/org/sso', { ...org.body, ...others }), status, sentence)
    assert.deepEqual((await admin.get('/v1/org/sso')).body, await unconfigured(admin))
  }
})

test('a deleted provider is gone, and passwords sign in again (I-374, ID-01, ID-137)', async () => {
  const org = await deployment.ssoOrg()
  const { email, client: admin } = org.admin
  const signIn = () => anonymous.post('/v1/login', { email, password, org: org.slug })
  assert.equal((await admin.put('/v1/org/sso', { ...org.body, required: true })).status, 200)
  refused(await signIn(), 403, `${org.slug} signs in with its provider: /v1/login/sso?org=${org.slug}`)

  const deleted = await admin.delete('/v1/org/sso')
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assert.equal((await signIn()).status, 200)
  assert.deepEqual((await admin.get('/v1/org/sso')).body, await unconfigured(admin))
  refused(await admin.delete('/v1/org/sso'), 404, 'this org has no provider')
})
