import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { client } from '../../../testing/people/identity-provider.ts'
import { Browser, loginCode, refusedAtConsole, startSsoDeployment } from '../../../testing/people/sso.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { hostile, provider, anonymous } = deployment
beforeEach(() => (hostile.document = {}))

const otherOrg = 'the provider sent this answer to the address of another org: sign in again'
const otherProvider = 'this answer is not from the provider that was asked: sign in again'
const exchanges = () => hostile.asked().filter((path) => path === 'POST /token').length

/** What a hostile provider sends a browser on to, instead of asking it to sign in. */
const forwarded = (begun: URL, redirect_uri: string) =>
  `${provider.issuer}/auth?${new URLSearchParams({
    ...Object.fromEntries(begun.searchParams),
    client_id: client.client_id,
    redirect_uri,
  }).toString()}`
const without = (query: string, name: string) => {
  const kept = new URLSearchParams(query)
  kept.delete(name)
  return `?${kept.toString()}`
}

test("a hostile provider that forwards the browser to another org's provider is not handed that provider's code", async () => {
  const evil = await deployment.ssoOrg({ issuer: hostile.issuer })
  const honest = await deployment.ssoOrg({ role: 'qa' })
  const victim = new Browser(deployment)
  const begun = await victim.begin(evil.slug)
  const before = exchanges()
  const sentBack = await provider.signIn(forwarded(begun, honest.redirect_uri), {
    email: `ana@${honest.domain}`,
  })
  const query = without(sentBack, 'iss') // as of a provider that does not speak RFC 9207
  const answer = await victim.finish(query, deployment, honest.redirect_uri)
  assert.equal(exchanges(), before, 'the hostile provider was handed the code')
  refusedAtConsole(answer, otherOrg)
  refused(
    await victim.finish(query, deployment, honest.redirect_uri),
    400,
    'this sign-in was never started or has expired: sign in again',
  )
})

test("an honest provider does not send its code to another org's address", async () => {
  const evil = await deployment.ssoOrg({ issuer: hostile.issuer })
  const begun = await new Browser(deployment).begin(evil.slug)
  const address = `https://switchroom.test/v1/login/sso/callback/${(await deployment.newOrg()).id}`
  await assert.rejects(
    provider.signIn(forwarded(begun, address), { email: 'ana@corp.example' }),
    /redirect_uri/,
  )
})

test('every org has a redirect address of its own', async () => {
  const [one, other] = [await deployment.ssoOrg({ role: 'qa' }), await deployment.ssoOrg({ role: 'qa' })]
  for (const { id, redirect_uri } of [one, other])
    assert.equal(redirect_uri, `https://switchroom.test/v1/login/sso/callback/${id}`)
  const browser = new Browser(deployment)
  const begun = await browser.begin(one.slug)
  assert.equal(begun.searchParams.get('redirect_uri'), one.redirect_uri)
  const query = await provider.signIn(begun.href, { email: `ana@${one.domain}` })
  refusedAtConsole(await browser.finish(query, deployment, other.redirect_uri), otherOrg)
  refused(await browser.finish(query), 400, 'this sign-in was never started or has expired: sign in again')
})

test('the address that all orgs shared signs no person in, and names the address to register', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const shared = 'https://switchroom.test/v1/login/sso/callback'
  const browser = new Browser(deployment)
  const query = await provider.signIn((await browser.begin(org.slug)).href, { email: `ana@${org.domain}` })
  refusedAtConsole(
    await new Browser(deployment).finish(query, deployment, shared),
    'this sign-in began in another browser',
  )
  refusedAtConsole(
    await browser.finish(query, deployment, shared),
    `this address is no longer answered: register ${org.redirect_uri} at the provider and sign in again`,
  )
  refused(
    await browser.finish(query, deployment, shared),
    400,
    'this sign-in was never started or has expired: sign in again',
  )
  refused(
    await anonymous.get('/v1/login/sso/callback'),
    400,
    'this sign-in was never started or has expired: sign in again',
  )
})

test('an answer that names another issuer is refused, signed in or not', async () => {
  const org = await deployment.ssoOrg({ issuer: hostile.issuer, role: 'qa' })
  const before = exchanges()
  for (const rest of ['code=c', 'error=access_denied']) {
    const browser = new Browser(deployment)
    const state = (await browser.begin(org.slug)).searchParams.get('state')
    const iss = encodeURIComponent(provider.issuer)
    refusedAtConsole(await browser.finish(`?${rest}&state=${state}&iss=${iss}`), otherProvider)
  }
  assert.equal(exchanges(), before)
})

test('a provider that says it names itself has to, signed in or not', async () => {
  const org = await deployment.ssoOrg({ issuer: hostile.issuer, role: 'qa' })
  hostile.document = { authorization_response_iss_parameter_supported: true }
  const [before, own] = [exchanges(), encodeURIComponent(hostile.issuer)]
  const cameBack = async (rest: string) => {
    const browser = new Browser(deployment)
    const { searchParams } = await browser.begin(org.slug)
    const claims = hostile.claims(searchParams.get('nonce') ?? '', { email: `ana@${org.domain}` })
    hostile.idToken = await hostile.sign(claims)
    return browser.finish(`?state=${searchParams.get('state')}&${rest}`)
  }
  for (const rest of ['code=c', 'error=access_denied', 'code=c&iss=', `code=c&iss=${own}&iss=${own}x`])
    refusedAtConsole(await cameBack(rest), otherProvider)
  assert.equal(exchanges(), before)
  refusedAtConsole(await cameBack(`error=access_denied&iss=${own}`), 'the provider refused: access_denied')
  loginCode(await cameBack(`code=c&iss=${own}`))
})
