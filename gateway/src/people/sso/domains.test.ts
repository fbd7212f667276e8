import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { newDomain, startSsoDeployment } from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dns, anonymous, prove, sql } = deployment

const discovered = async (email: string) => {
  const { status, body } = await anonymous.post('/v1/login/sso/discover', { email })
  assert.equal(status, 200)
  return body.orgs
}

test('a record at the domain itself proves it, and once seen the proof stays valid (I-118, I-170, I-171, I-375, ID-144)', async () => {
  const { admin } = await deployment.ssoOrg()
  const domain = newDomain()
  const { issuer, client_id } = (await admin.client.get('/v1/org/sso')).body
  const put = await admin.client.put('/v1/org/sso', { issuer, client_id, domains: [domain] })
  const [{ txt }] = put.body.proofs
  const verify = () => admin.client.post(`/v1/org/sso/domains/${domain.toUpperCase()}/verify`)

  dns.set(`_svc.${domain}`, { TXT: [txt] })
  refused(await verify(), 400, `${domain} holds no TXT record and not ${txt}`)
  dns.set(domain, { TXT: ['v=spf1 -all', txt] })
  assert.deepEqual((await verify()).body, { domain, txt, verified: true })

  dns.set(domain, { TXT: [] })
  assert.deepEqual((await admin.client.get('/v1/org/sso')).body.proofs, [{ domain, txt, verified: true }])
  dns.fail(true)
  assert.deepEqual((await verify()).body, { domain, txt, verified: true })
  dns.fail(false)
})

test('anything else at the domain is 400 with what it holds instead (I-385, I-480, ID-144)', async () => {
  const { admin, body } = await deployment.ssoOrg()
  const domain = newDomain()
  const put = await admin.client.put('/v1/org/sso', { ...body, domains: [domain] })
  const [{ txt }] = put.body.proofs
  const verify = () => admin.client.post(`/v1/org/sso/domains/${domain}/verify`)

  dns.set(domain, { TXT: ['v=spf1 -all', `x${txt}`] })
  refused(await verify(), 400, `${domain} holds "v=spf1 -all" · "x${txt}" and not ${txt}`)
  dns.set(domain, { A: ['127.0.0.1'] })
  refused(await verify(), 400, `${domain} holds no TXT record and not ${txt}`)
  dns.fail(true)
  refused(await verify(), 400, `${domain} could not be read`)
  dns.fail(false)
  assert.equal((await admin.client.get('/v1/org/sso')).body.proofs[0].verified, false)
})

test('a domain that the provider does not name is 404 (I-386, I-501, ID-144)', async () => {
  const { admin } = await deployment.ssoOrg()
  const other = await deployment.ssoOrg()
  const verify = (domain: string) => admin.client.post(`/v1/org/sso/domains/${domain}/verify`)
  refused(await verify(other.domain), 404, `the provider does not name ${other.domain}`)
  assert.equal((await admin.client.delete('/v1/org/sso')).status, 204)
  refused(await verify('corp.example'), 404, 'the provider does not name corp.example')
})

test('a domain kept keeps its token and verdict, one dropped and named again starts anew (ID-143)', async () => {
  const { admin, body, domain } = await deployment.ssoOrg()
  const put = async (...domains: string[]) => {
    const answer = await admin.client.put('/v1/org/sso', { ...body, domains })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.proofs
  }
  const second = newDomain()
  const [first] = (await admin.client.get('/v1/org/sso')).body.proofs
  const [added, kept] = await put(second, domain)
  assert.deepEqual(kept, first)
  assert.deepEqual([added.domain, added.verified], [second, false])
  await put(second)
  const [, anew] = await put(second, domain)
  assert.equal(anew.verified, false)
  assert.notEqual(anew.txt, first.txt)
})

test('a domain declared before proofs existed reads verified, with a record that stays the same (I-172, ID-145)', async () => {
  const { admin, domain, slug } = await deployment.ssoOrg()
  await sql(`update identity_provider_domains set token = null, verified = false where domain = $1`, [domain])
  assert.equal((await discovered(`ana@${domain}`))[0].slug, slug)
  const reads = await Promise.all([1, 2, 3].map(() => admin.client.get('/v1/org/sso')))
  const [{ txt }] = (await admin.client.get('/v1/org/sso')).body.proofs
  assert.match(txt, /^svc-verify=[0-9a-f]{32}$/)
  for (const { body } of reads) assert.deepEqual(body.proofs, [{ domain, txt, verified: true }])
  assert.deepEqual((await admin.client.post(`/v1/org/sso/domains/${domain}/verify`)).body.verified, true)
})

test('discover lists the orgs that proved the domain, oldest first (I-195, I-196, I-387, ID-143, ID-147, T-80)', async () => {
  const domain = newDomain()
  const first = await deployment.ssoOrg({ domains: [domain] })
  const second = await deployment.ssoOrg({ domains: [domain] })
  const third = await deployment.ssoOrg()
  const put = await third.admin.client.put('/v1/org/sso', { ...third.body, domains: [domain] })
  assert.equal(put.status, 200)

  const listed = [first, second].map(({ id, slug }) => ({ org: id, slug, name: `Org ${slug}` }))
  assert.deepEqual(await discovered(` Ana@${domain.toUpperCase()} `), listed)
  assert.equal((await prove(third.admin.client, domain)).status, 200)
  assert.equal((await discovered(`bo@${domain}`)).length, 3)
})

test('discover answers a known and an invented address alike (I-197)', async () => {
  const { domain, admin } = await deployment.ssoOrg()
  const invited = await admin.client.post('/v1/members', { email: `known@${domain}`, role: 'qa' })
  assert.equal(invited.status, 201, invited.text)
  assert.deepEqual(await discovered(`known@${domain}`), await discovered(`invented@${domain}`))
})

test('only the exact domain after the last @ counts (ID-13, ID-147, T-79)', async () => {
  const { domain } = await deployment.ssoOrg()
  for (const email of [
    `a@sub.${domain}`,
    `a@${domain}.evil.example`,
    `a@evil-${domain}`,
    `a@${domain}@evil.example`,
    `a@evil.example@${domain}`,
    domain,
    `@${domain}`,
    'nonsense',
    '',
  ])
    assert.deepEqual(await discovered(email), [], email)
})

test('discover is counted with the other doors of sign-in (I-228, ID-69)', async () => {
  const email = 'often@corp.example'
  for (let n = 0; n < 5; n += 1) await discovered(email)
  const sentence = `too many attempts for ${email}: try again in a minute`
  const sixth = await anonymous.post('/v1/login/sso/discover', { email: ' Often@corp.example' })
  refused(sixth, 429, sentence)
  assert.match(sixth.headers.get('retry-after') ?? '', /^\d+$/)
  refused(await anonymous.post('/v1/login', { email, password: 'whatever' }), 429, sentence)
  refused(await anonymous.post('/v1/login/sso/discover', {}), 422, 'email: is required')
})
