import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password } from '../../../testing/deployment.ts'
import { client } from '../../../testing/people/identity-provider.ts'
import {
  Browser,
  loginCode,
  newDomain,
  refusedAtConsole,
  startSsoDeployment,
} from '../../../testing/people/sso.ts'
import { until } from '../../../testing/until.ts'
import { statement } from '../../database/database.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dns, hostile, provider, anonymous, prove, sql } = deployment

const decides = 'single sign-on decides who signs in as every member'
const more = (bigger: string, connectedApps: string) =>
  `${decides}, and ${bigger} holds more than you: ask ${connectedApps}`
const hostileBody = (domain: string, others: object = {}) => ({
  issuer: hostile.issuer,
  ...client,
  domains: [domain],
  ...others,
})
const saysItIs = (email: string) => (nonce: string) => hostile.sign(hostile.claims(nonce, { email }))

test('a team key that holds less than a member does not replace the provider and sign in as that member', async () => {
  const org = await deployment.ssoOrg()
  const boss = `boss@${org.domain}`
  assert.equal((await org.admin.client.post('/v1/members', { email: boss, role: 'admin' })).status, 201)
  const before = (await org.admin.client.get('/v1/org/sso')).body
  const manager = await org.person('manager', { production: true })

  const put = await manager.client.put('/v1/org/sso', hostileBody(org.domain))
  const attack = await new Browser(deployment).signInAtHostile(deployment, org.slug, saysItIs(boss))
  assert.doesNotMatch(attack.headers.get('location') ?? '', /login=/, 'signed in as the admin')
  refused(put, 403, more(org.admin.email, org.admin.email))
  refused(await manager.client.delete('/v1/org/sso'), 403, more(org.admin.email, org.admin.email))
  assert.deepEqual((await org.admin.client.get('/v1/org/sso')).body, before)
})

test('production access, an agent list and the operator flag count as much as the role', async () => {
  const domain = newDomain()
  const org = await deployment.newOrg()
  const [manager, narrowed] = [
    await org.person('manager'),
    await org.person('manager', { agents: ['sales'] }),
  ]
  refused(
    await narrowed.client.put('/v1/org/sso', hostileBody(domain)),
    403,
    more(manager.email, manager.email),
  )
  assert.equal((await manager.client.put('/v1/org/sso', hostileBody(domain))).status, 200)

  const producer = await org.person('manager', { production: true })
  for (const [lesser, bigger] of [
    [manager, producer],
    [narrowed, manager],
  ] as const)
    refused(
      await lesser.client.put('/v1/org/sso', hostileBody(domain)),
      403,
      more(bigger.email, producer.email),
    )
  assert.equal((await producer.client.put('/v1/org/sso', hostileBody(domain))).status, 200)

  const elsewhere = await deployment.newOrg()
  const olga = await elsewhere.person('qa', { operator: true })
  await org.invite(olga.email, 'qa')
  refused(
    await producer.client.put('/v1/org/sso', hostileBody(domain)),
    403,
    more(olga.email, 'an operator of the platform'),
  )
  const { key } = (await olga.client.post('/v1/login/org', { org: elsewhere.slug })).body
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.operator, true)
})

test('an operator who visits the org changes its provider', async () => {
  const org = await deployment.ssoOrg()
  const olga = await (await deployment.newOrg()).person('admin', { operator: true })
  const { key } = (await olga.client.post('/v1/login/org', { org: org.slug })).body
  assert.equal((await anonymous.as(key).put('/v1/org/sso', org.body)).status, 200)
})

test('a server token changes the provider only when it holds what every member holds', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const { scopes } = (await admin.client.get('/v1/whoami')).body
  const body = hostileBody(newDomain())
  for (const [env, held] of [
    ['sandbox', scopes],
    ['production', ['team']],
  ] as const) {
    const token = await org.serverToken(env, { scopes: held })
    refused(await token.client.in(env).put('/v1/org/sso', body), 403, more(admin.email, admin.email))
  }
  const whole = await org.serverToken('production', { scopes })
  assert.equal((await whole.client.in('production').put('/v1/org/sso', body)).status, 200)
})

test('a domain is verified only by a key that holds what every member holds', async () => {
  const org = await deployment.ssoOrg()
  const domain = newDomain()
  const { body } = await org.admin.client.put('/v1/org/sso', { ...org.body, domains: [domain] })
  dns.set(domain, { TXT: [body.proofs[0].txt] })
  const manager = await org.person('manager', { production: true })
  const verify = (by: typeof manager) => by.client.post(`/v1/org/sso/domains/${domain}/verify`)
  refused(await verify(manager), 403, more(org.admin.email, org.admin.email))
  assert.equal((await org.admin.client.get('/v1/org/sso')).body.proofs[0].verified, false)
  assert.equal((await verify(org.admin)).body.verified, true)
})

test('a bigger member who joins while the provider is set is seen', async () => {
  const { database, orgs } = deployment.gateway.services
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const addAdmin = statement(`
    insert into members (id, org, email, name, role, agents, status, operator, production, created_at)
    values ($1, $2, $3, 'Boss', 'admin', '{}', 'invited', false, true, now())`)
  const body = hostileBody(newDomain())
  for (const change of ['put', 'delete', 'verify'] as const) {
    const org = await deployment.newOrg()
    const manager = await org.person('manager')
    if (change !== 'put') assert.equal((await manager.client.put('/v1/org/sso', body)).status, 200)
    const [domain = ''] = body.domains
    if (change === 'verify') {
      const { proofs } = (await manager.client.get('/v1/org/sso')).body
      dns.set(domain, { TXT: [proofs[0].txt] })
    }
    const email = `boss@${newDomain()}`
    const { changing } = await database.transaction(async (tx) => {
      await orgs.lock(tx, org.id)
      const asked =
        change === 'verify'
          ? manager.client.post(`/v1/org/sso/domains/${domain}/verify`)
          : manager.client.send(change.toUpperCase(), '/v1/org/sso', change === 'put' ? body : undefined)
      await until('the change waits for the org', async () => (await sql(waiting)).rowCount === 1)
      await tx.rows(statement('insert into persons (email) values ($1)'), email)
      await tx.rows(addAdmin, `mem_${org.id.slice(4)}`, org.id, email)
      return { changing: asked }
    })
    refused(await changing, 403, more(email, 'an operator of the platform'))
  }
})

test('an issuer of another host starts without domain proofs', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const { client: admin } = org.admin
  const boss = `boss@${org.domain}`
  const [proven] = (await admin.get('/v1/org/sso')).body.proofs
  const put = await admin.put('/v1/org/sso', hostileBody(org.domain, { role: 'qa' }))
  assert.equal(put.status, 200, put.text)
  const attack = await new Browser(deployment).signInAtHostile(deployment, org.slug, saysItIs(boss))
  refusedAtConsole(attack, `${boss} is not of a proven domain`)
  const [anew] = put.body.proofs
  assert.deepEqual([anew.domain, anew.verified], [org.domain, false])
  assert.notEqual(anew.txt, proven.txt)
  assert.deepEqual((await anonymous.post('/v1/login/sso/discover', { email: boss })).body, { orgs: [] })

  assert.equal((await prove(admin, org.domain)).status, 200)
  loginCode(await new Browser(deployment).signInAtHostile(deployment, org.slug, saysItIs(boss)))
})

test('another issuer on the same host keeps the proofs', async () => {
  const org = await deployment.ssoOrg()
  hostile.document = { issuer: `${hostile.issuer}/tenant` }
  const tenant = hostileBody(org.domain, { issuer: `${hostile.issuer}/tenant` })
  const { client: admin } = org.admin
  assert.equal((await admin.put('/v1/org/sso', tenant)).body.proofs[0].verified, false)
  assert.equal((await prove(admin, org.domain)).status, 200)
  hostile.document = {}
  assert.equal((await admin.put('/v1/org/sso', hostileBody(org.domain))).body.proofs[0].verified, true)
})

test('an issuer of another host is not required before a domain is proven for it, and locks no member out', async () => {
  const org = await deployment.ssoOrg()
  const { client: admin, email } = org.admin
  assert.equal((await admin.put('/v1/org/sso', { ...org.body, required: true })).status, 200)
  const kept = (await admin.get('/v1/org/sso')).body
  const moved = hostileBody(org.domain, { required: true })
  const { host } = new URL(hostile.issuer)
  refused(
    await admin.put('/v1/org/sso', moved),
    409,
    `${host} is another identity provider, for which no domain is verified yet: save it with required false, verify a domain, then require it`,
  )
  assert.deepEqual((await admin.get('/v1/org/sso')).body, kept)

  assert.equal((await admin.put('/v1/org/sso', { ...moved, required: false })).status, 200)
  assert.equal((await anonymous.post('/v1/login', { email, password, org: org.slug })).status, 200)
  refused(await admin.put('/v1/org/sso', moved), 409, 'no domain is verified yet')
  assert.equal((await prove(admin, org.domain)).status, 200)
  assert.equal((await admin.put('/v1/org/sso', moved)).body.required, true)
  assert.equal((await admin.put('/v1/org/sso', { ...org.body, issuer: provider.issuer })).status, 200)
})
