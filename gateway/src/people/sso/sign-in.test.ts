import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { ellipticClient } from '../../../testing/people/identity-provider.ts'
import { Browser, loginCode, refusedAtConsole, startSsoDeployment } from '../../../testing/people/sso.ts'
import { minuteMs } from '../../foundation/clock.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, provider, hostile, sql } = deployment

const start = (query: string) => anonymous.get(`/v1/login/sso${query}`)
const neverStarted = 'this sign-in was never started or has expired: sign in again'

test('the start leads to the provider with a state, a nonce and a PKCE challenge (I-194, I-373, I-390, I-391, I-392, ID-42, ID-148)', async () => {
  const { slug, redirect_uri } = await deployment.ssoOrg()
  const answer = await anonymous
    .with({ host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    .get(`/v1/login/sso?org=${slug}`)
  assert.equal(answer.status, 302)
  const location = new URL(answer.headers.get('location') ?? '')
  assert.equal(location.origin, provider.issuer)
  const { state, nonce, code_challenge, ...fixed } = Object.fromEntries(location.searchParams)
  assert.deepEqual(fixed, {
    response_type: 'code',
    client_id: 'switchroom',
    redirect_uri,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  })
  for (const random of [state, nonce, code_challenge]) assert.match(random ?? '', /^[A-Za-z0-9_-]{43}$/)
})

test('the start binds the sign-in to the browser by a cookie (ID-149)', async () => {
  const { slug } = await deployment.ssoOrg()
  const form = /^svc_sso=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/v1\/login; Max-Age=600; Secure$/
  assert.match((await start(`?org=${slug}`)).headers.get('set-cookie') ?? '', form)
  const plain = await deployment.another({ SVC_BASE_URL: 'http://switchroom.test' })
  const cookie = (await plain.anonymous.get(`/v1/login/sso?org=${slug}`)).headers.get('set-cookie') ?? ''
  assert.match(`${cookie}; Secure`, form)
})

test('an unknown org, one without a provider and none at all are the same 404 (I-393, I-499, ID-148)', async () => {
  const org = await deployment.newOrg()
  const configured = await deployment.ssoOrg()
  const answers = [`?org=${org.slug}`, '?org=nobody', '?org=', '', `?org=${configured.id}`].map(start)
  for (const answer of await Promise.all(answers)) refused(answer, 404, 'no provider signs in there')
})

test('a pairing that names no waiting word is 404 (ID-148)', async () => {
  const { slug, admin } = await deployment.ssoOrg()
  const answered = (await anonymous.post('/v1/login/pairings', {})).body.code
  assert.equal((await admin.client.post(`/v1/login/pairings/${answered}`, {})).status, 200)
  for (const word of ['cli_invented', answered])
    refused(await start(`?org=${slug}&pairing=${word}`), 404, 'that word is spent or was never made')
  assert.equal((await start(`?org=${slug}&pairing=`)).status, 302)
})

test('the callback exchanges the code once and leads to a login code, which mints a key without a source (I-394, I-395, I-400, I-401, I-455, ID-153)', async () => {
  const org = await deployment.ssoOrg({ role: 'supervisor' })
  const exchanges = () => provider.asked().filter((path) => path === 'POST /token').length
  const before = exchanges()
  const email = `ana@${org.domain}`
  const browser = new Browser(deployment)
  const answer = await browser.signIn(deployment, org.slug, { email, name: 'Ana' })
  const code = loginCode(answer)
  assert.equal(exchanges(), before + 1)

  const minted = await browser.redeem(code)
  assert.equal(minted.status, 200, minted.text)
  assert.deepEqual([minted.body.label, minted.body.name, minted.body.org], ['console', 'Ana', org.id])
  const { rows } = await sql('select ancestors, member from keys where id = $1', [minted.body.key_id])
  assert.deepEqual(rows, [{ ancestors: [], member: minted.body.subject }])
  const whoami = (await anonymous.as(minted.body.key).get('/v1/whoami')).body
  assert.deepEqual([whoami.email, whoami.scopes], [email, ['calls', 'talk', 'words', 'evals']])
  refused(await browser.redeem(code), 404, 'that code is spent or was never made')
})

test('a login code names its device, and opens nothing once its member is disabled (ID-153)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const account = { email: `ana@${org.domain}` }
  const browser = new Browser(deployment)
  const signIn = async () => loginCode(await browser.signIn(deployment, org.slug, account))
  const { body } = await browser.redeem(await signIn(), { device: 'phone' })
  assert.equal(body.label, 'phone')
  const code = await signIn()
  const disabled = await org.admin.client.patch(`/v1/members/${body.subject}`, { status: 'disabled' })
  assert.equal(disabled.status, 200, disabled.text)
  refused(await browser.redeem(code), 404, 'that code is spent or was never made')
})

test('the exchange carries the secret and the verifier of the challenge, and the word of a terminal comes back (I-392, I-395, I-402, I-405)', async () => {
  const org = await deployment.ssoOrg({ issuer: hostile.issuer, role: 'qa' })
  const { code: word } = (await anonymous.post('/v1/login/pairings', {})).body
  const browser = new Browser(deployment)
  const { searchParams } = await browser.begin(org.slug, word)
  const email = `ana@${org.domain}`
  hostile.idToken = await hostile.sign(hostile.claims(searchParams.get('nonce') ?? '', { email }))
  const answer = await browser.finish(`?code=c&state=${searchParams.get('state')}`)
  assert.match(
    answer.headers.get('location') ?? '',
    new RegExp(`^/cli\\?c=${word}&login=lc_[A-Za-z0-9_-]{43}$`),
  )
  const sent = hostile.exchanged()
  const challenge = createHash('sha256')
    .update(sent.get('code_verifier') ?? '')
    .digest('base64url')
  assert.equal(challenge, searchParams.get('code_challenge'))
  assert.equal(sent.get('client_secret'), org.body.client_secret)
  assert.equal(sent.get('redirect_uri'), searchParams.get('redirect_uri'))
})

test('an id_token signed with ES256 checks out as well (ID-150)', async () => {
  const org = await deployment.ssoOrg({ ...ellipticClient, role: 'qa' })
  loginCode(await new Browser(deployment).signIn(deployment, org.slug, { email: `ana@${org.domain}` }))
})

test('a state that is unknown, missing or spent is 400 (I-404, ID-149, T-82)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const browser = new Browser(deployment)
  refused(await browser.finish('?code=c&state=invented'), 400, neverStarted)
  refused(await browser.finish(''), 400, neverStarted)
  const query = await provider.signIn((await browser.begin(org.slug)).href, { email: `ana@${org.domain}` })
  loginCode(await browser.finish(query))
  refused(await browser.finish(query), 400, neverStarted)
})

test('a state lives ten minutes, and is forgotten after (ID-149)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const account = { email: `ana@${org.domain}` }
  const begun = async (browser: Browser) => provider.signIn((await browser.begin(org.slug)).href, account)
  const [early, late] = [new Browser(deployment), new Browser(deployment)]
  const [earlyQuery, lateQuery] = [await begun(early), await begun(late)]
  deployment.clock.forward(9.9 * minuteMs)
  loginCode(await early.finish(earlyQuery))
  deployment.clock.forward(0.1 * minuteMs)
  refused(await late.finish(lateQuery), 400, neverStarted)
  await deployment.gateway.services.housekeeping.run()
  assert.equal((await sql('select from sso_sign_ins')).rowCount, 0)
})

test('a callback in another browser is refused and spends nothing (I-403, ID-149, T-82, T-83)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const [victim, stranger, other] = [
    new Browser(deployment),
    new Browser(deployment),
    new Browser(deployment),
  ]
  const query = await provider.signIn((await stranger.begin(org.slug)).href, { email: `eve@${org.domain}` })
  await victim.begin(org.slug)
  for (const browser of [victim, other])
    refusedAtConsole(await browser.finish(query), 'this sign-in began in another browser')
  loginCode(await stranger.finish(query))
})

test("the provider's own refusal is passed on, and spends the state (ID-149, ID-152, T-82)", async () => {
  const { slug } = await deployment.ssoOrg()
  const browser = new Browser(deployment)
  const state = (await browser.begin(slug)).searchParams.get('state')
  const iss = encodeURIComponent(provider.issuer)
  const query = `?error=access_denied&error_description=no&state=${state}&iss=${iss}`
  refusedAtConsole(await browser.finish(query), 'the provider refused: access_denied')
  refused(await browser.finish(query), 400, neverStarted)
})

test('platform-wide sign-in is 503 always (I-198, I-199, ID-169)', async () => {
  for (const path of ['/v1/login/social', '/v1/login/social/callback', '/v1/login/social?org=x'])
    refused(await anonymous.get(path), 503, 'platform-wide sign-in is not in this version')
})

test('neither the state, the nonce, the verifier, the cookie nor a word is kept in the clear (I-405, ID-10, ID-29)', async () => {
  const { slug } = await deployment.ssoOrg()
  const { code: word } = (await anonymous.post('/v1/login/pairings', {})).body
  const answer = await start(`?org=${slug}&pairing=${word}`)
  const { searchParams } = new URL(answer.headers.get('location') ?? '')
  const cookie = /svc_sso=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? 'none'
  const { rows } = await sql(`select encode(secrets, 'escape') as kept, s::text as row from sso_sign_ins s`)
  const dump = JSON.stringify(rows) + deployment.log()
  for (const secret of [searchParams.get('state') ?? '', searchParams.get('nonce') ?? '', cookie, word])
    assert.equal(dump.includes(secret), false)
  assert.equal(answer.headers.get('location')?.includes('svc_live_'), false)
})
