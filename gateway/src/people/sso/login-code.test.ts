import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { Browser, loginCode, startSsoDeployment } from '../../../testing/people/sso.ts'
import { minuteMs } from '../../foundation/clock.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, anonymous, provider, sql } = deployment
const elsewhere = 'this sign-in began in another browser: sign in again in this one'

test('the login code of a callback signs in only the browser that began, and another one spends nothing', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const [own, victim] = [new Browser(deployment), new Browser(deployment)]
  const code = loginCode(await own.signIn(deployment, org.slug, { email: `eve@${org.domain}` }))
  await victim.begin(org.slug)
  refused(await victim.redeem(code), 403, elsewhere)
  refused(await new Browser(deployment).redeem(code), 403, elsewhere)
  refused(await anonymous.post('/v1/login', { code }), 403, elsewhere)
  assert.equal((await own.redeem(code)).status, 200)
  refused(await own.redeem(code), 404, 'that code is spent or was never made')
  refused(await victim.redeem(code), 404, 'that code is spent or was never made')
})

test('the cookie lives as long as the code of a callback that came late', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const browser = new Browser(deployment)
  const query = await provider.signIn((await browser.begin(org.slug)).href, { email: `ana@${org.domain}` })
  clock.forward(9 * minuteMs)
  const answer = await browser.finish(query)
  const code = loginCode(answer)
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(
    cookie,
    /^svc_sso=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/v1\/login; Max-Age=600; Secure$/,
  )
  assert.ok(browser.cookie.cookie.endsWith(cookie.split(';')[0] ?? 'none'))
  assert.equal((await browser.redeem(code)).status, 200)
})

test('of two browsers that redeem one code at the same time over two gateways only its own gets a key', async () => {
  const second = await deployment.another()
  const org = await deployment.ssoOrg({ role: 'qa' })
  const own = new Browser(deployment)
  const code = loginCode(await own.signIn(deployment, org.slug, { email: `ana@${org.domain}` }))
  const statuses = await Promise.all(
    [second.anonymous, anonymous].flatMap((at) => [
      at.post('/v1/login', { code }),
      at.with(own.cookie).post('/v1/login', { code }),
    ]),
  )
  const [stranger, first, otherStranger, again] = statuses.map(({ status }) => status)
  assert.deepEqual(new Set([first, again]), new Set([200, 404]))
  assert.equal([stranger, otherStranger].includes(200), false)
  assert.equal((await sql('select from keys where org = $1 and label = $2', [org.id, 'console'])).rowCount, 1)
})
