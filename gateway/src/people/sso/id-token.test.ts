import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { secondsFromNow } from '../../../testing/people/hostile-provider.ts'
import { Browser, loginCode, refusedAtConsole, startSsoDeployment } from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { hostile, provider, sql } = deployment
const org = await deployment.ssoOrg({ issuer: hostile.issuer, role: 'qa' })
const email = `ana@${org.domain}`

const didNotCheckOut = "the provider's word did not check out"
const didNotAnswer = 'the provider did not answer'

beforeEach(() => {
  hostile.discovery = undefined
  hostile.document = {}
})

const signInWith = (idToken: (nonce: string) => string | Promise<string>) =>
  new Browser(deployment).signInAtHostile(deployment, org.slug, idToken)
const signInAs = (claims: object) =>
  signInWith((nonce) => hostile.sign(hostile.claims(nonce, { email, ...claims })))
const isMember = async (address: string) =>
  (await sql('select from members where email = $1', [address])).rowCount === 1

test('a good id_token signs in, whatever way its address is written (ID-13, ID-150)', async () => {
  loginCode(await signInAs({ email: ` ANA@${org.domain.toUpperCase()} ` }))
  assert.equal(await isMember(email), true)
})

test('another issuer, audience or nonce does not check out (I-396, I-397, I-398, I-403, ID-152, T-82)', async () => {
  for (const wrong of [
    { iss: provider.issuer },
    { iss: `${hostile.issuer}/` },
    { iss: undefined },
    { aud: 'another' },
    { aud: ['another'] },
    { aud: ['switchroom', 'another'] },
    { aud: undefined },
    { nonce: 'another' },
    { nonce: undefined },
  ])
    refusedAtConsole(await signInAs({ ...wrong, email: `wrong@${org.domain}` }), didNotCheckOut)
  assert.equal(await isMember(`wrong@${org.domain}`), false)
})

test('only RS256 or ES256 by the keys of the provider: no none, no HMAC, no stranger (ID-150, T-81)', async () => {
  const claims = (nonce: string) => hostile.claims(nonce, { email })
  const stranger = await generateKeyPair('RS256')
  const forged = (alg: string, kid: string, nonce: string) =>
    new SignJWT(claims(nonce)).setProtectedHeader({ alg, kid }).sign(stranger.privateKey)
  for (const idToken of [
    (nonce: string) => hostile.unsigned(claims(nonce)),
    (nonce: string) => hostile.signWithPublicKey(claims(nonce)),
    (nonce: string) => hostile.sign(claims(nonce), 'PS256'),
    (nonce: string) => hostile.sign(claims(nonce), 'RS512'),
    (nonce: string) => forged('RS256', 'one', nonce),
    (nonce: string) => forged('RS256', 'two', nonce),
    async (nonce: string) => (await hostile.sign(claims(nonce))).replace(/[^.]+$/, ''),
    () => 'nonsense',
  ])
    refusedAtConsole(await signInWith(idToken), didNotCheckOut)
})

test('exp has 60 seconds of leeway and no more (ID-150)', async () => {
  loginCode(await signInAs({ exp: secondsFromNow(-50) }))
  for (const exp of [secondsFromNow(-70), undefined])
    refusedAtConsole(await signInAs({ exp }), didNotCheckOut)
})

test('an address said to be unverified is refused, one of a proven domain that is not said to be is accepted (I-399, ID-150, T-81)', async () => {
  for (const email_verified of [false, 'false', 'true', null, 0])
    refusedAtConsole(await signInAs({ email_verified }), didNotCheckOut)
  loginCode(await signInAs({ email_verified: undefined }))
})

test('an id_token without an address does not check out (I-399, ID-152)', async () => {
  for (const wrong of [undefined, null, 7, '', 'nonsense', `a b@${org.domain}`, `a@b@${org.domain}`])
    refusedAtConsole(await signInAs({ email: wrong }), didNotCheckOut)
})

test('an address of another domain is refused, proven elsewhere or not (I-399, ID-152, T-79, T-80)', async () => {
  const other = await deployment.ssoOrg()
  for (const address of [
    `a@${other.domain}`,
    `a@sub.${org.domain}`,
    `a@${org.domain}.evil.example`,
    `a@evil-${org.domain}`,
    'a\ud800@evil.example',
  ])
    refusedAtConsole(
      await signInAs({ email: address, email_verified: undefined }),
      `${address.toWellFormed()} is not of a proven domain`,
    )
})

test('a token endpoint or keys that are not public or not https are never reached (I-379, ID-141, T-75)', async () => {
  const exchanges = hostile.asked().filter((path) => path !== 'GET /.well-known/openid-configuration').length
  const { port } = new URL(hostile.issuer)
  for (const token_endpoint of [
    'https://169.254.169.254/token',
    'http://169.254.169.254/token',
    `https://127.0.0.1:${port}/token`,
    `http://hostile.example.test:${port}/token`,
  ]) {
    hostile.document = { token_endpoint }
    refusedAtConsole(await signInAs({}), didNotAnswer)
  }
  const asked = hostile.asked().filter((path) => path !== 'GET /.well-known/openid-configuration')
  assert.equal(asked.length, exchanges)

  for (const jwks_uri of [`https://127.0.0.1:${port}/keys`, `http://hostile.example.test:${port}/keys`]) {
    hostile.document = { jwks_uri }
    refusedAtConsole(await signInAs({}), didNotAnswer)
  }
  const keys = (paths: string[]) => paths.filter((path) => path === 'GET /keys').length
  assert.equal(keys(hostile.asked()), keys(asked))
})

test('a provider that fails the exchange, or moves it, did not answer (ID-141, ID-152, T-75, T-82)', async () => {
  for (const token_endpoint of [`${hostile.issuer}/fails`, `${hostile.issuer}/moved`]) {
    hostile.document = { token_endpoint }
    refusedAtConsole(await signInAs({}), didNotAnswer)
  }
})

test('a name that turned private after it was kept is refused each time, and nothing is reached (I-379, ID-141, T-74)', async () => {
  const strict = await deployment.another({ SVC_PRIVATE_HOSTS: 'idp.example.test' })
  const browser = new Browser(deployment)
  const query = `?code=c&state=${(await browser.begin(org.slug)).searchParams.get('state')}`
  const connections = hostile.connections()
  refusedAtConsole(await browser.finish(query, strict), didNotAnswer)
  for (let n = 0; n < 2; n += 1)
    refusedAtConsole(await strict.anonymous.get(`/v1/login/sso?org=${org.slug}`), didNotAnswer)
  assert.equal(hostile.connections(), connections)
})

test('a secret copied from another row does not open, and the sign-in is refused (ID-29, T-94)', async () => {
  const [one, other] = [await deployment.ssoOrg(), await deployment.ssoOrg()]
  await sql(
    `update identity_providers p set client_secret = q.client_secret from identity_providers q
     where (p.org, q.org) in (($1, $2), ($2, $1))`,
    [one.id, other.id],
  )
  for (const { slug } of [one, other])
    refusedAtConsole(await deployment.anonymous.get(`/v1/login/sso?org=${slug}`), didNotAnswer)
})

test('the log says why a provider was not believed, and holds nothing of the person (I-382)', async () => {
  await signInAs({ email: `secretive@${org.domain}`, aud: 'another' })
  assert.match(deployment.log(), /unexpected JWT \\"aud\\" \(audience\) claim value/)
  assert.equal(deployment.log().includes('secretive'), false)
})
