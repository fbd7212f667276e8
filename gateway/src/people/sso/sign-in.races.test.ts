import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../../../testing/client.ts'
import { until } from '../../../testing/until.ts'
import { Browser, refusedAtConsole, startSsoDeployment } from '../../../testing/people/sso.ts'
import { statement } from '../../database/database.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { provider, operator } = deployment
const gateways = [deployment, await deployment.another()]
const gatewayOf = (n: number) => gateways[n % 2] ?? deployment
const ten = Array.from({ length: 10 }, (_, n) => n)

const isSignedIn = (answer: Answer) => answer.headers.get('location')?.startsWith('/?login=lc_')

test('of 10 callbacks of one state at once over two gateways exactly one signs in (ID-149)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const browser = new Browser(deployment)
  const query = await provider.signIn((await browser.begin(org.slug)).href, { email: `ana@${org.domain}` })
  const answers = await Promise.all(ten.map((n) => browser.finish(query, gatewayOf(n))))
  assert.equal(answers.filter(isSignedIn).length, 1)
  assert.equal(answers.filter(({ status }) => status === 400).length, 9)
})

test('of 10 strangers at once over two gateways exactly one takes the last seat (ID-40, ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const { quotas } = (await operator.get(`/v1/ops/orgs/${org.slug}`)).body
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...quotas, seats: 2 })
  const returns = await Promise.all(
    ten.map(async (n) => {
      const browser = new Browser(deployment)
      const { href } = await browser.begin(org.slug)
      const query = await provider.signIn(href, { email: `stranger-${n}@${org.domain}` })
      return () => browser.finish(query, gatewayOf(n))
    }),
  )
  const answers = await Promise.all(returns.map((finish) => finish()))
  assert.equal(answers.filter(isSignedIn).length, 1)
  for (const answer of answers.filter((one) => !isSignedIn(one)))
    refusedAtConsole(answer, `org ${org.slug} has used 2 of its 2 seats: credits.exhausted`)
  assert.equal((await org.admin.client.get('/v1/members')).body.members.length, 2)
})

test('a provider deleted while its word is checked seats no person (I-403)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const browser = new Browser(deployment)
  const query = await provider.signIn((await browser.begin(org.slug)).href, { email: `ana@${org.domain}` })
  const { database, orgs } = deployment.gateway.services
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const answer = await database.transaction(async (tx) => {
    await orgs.lock(tx, org.id)
    const finishing = browser.finish(query)
    await until('the callback waits for the org', async () => (await deployment.sql(waiting)).rowCount === 1)
    await tx.rows(statement('delete from identity_providers where org = $1'), org.id)
    return { finishing }
  })
  refusedAtConsole(await answer.finishing, 'no provider signs in there')
})

test('10 callbacks of one new person at once make one member (ID-151)', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const returns = await Promise.all(
    ten.map(async (n) => {
      const browser = new Browser(deployment)
      const query = await provider.signIn((await browser.begin(org.slug)).href, {
        email: `ana@${org.domain}`,
      })
      return () => browser.finish(query, gatewayOf(n))
    }),
  )
  const answers = await Promise.all(returns.map((finish) => finish()))
  assert.equal(answers.filter(isSignedIn).length, 10)
  assert.equal((await org.admin.client.get('/v1/members')).body.members.length, 2)
})
