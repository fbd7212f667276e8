import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
after(() => deployment[Symbol.asyncDispose]())
const { anonymous } = deployment
const at = (place: string, client: Client = anonymous) => client.with({ 'x-forwarded-for': place })
const tooMany = (address: string) => `too many attempts for ${address}: try again in a minute`

test('the sixth try in a minute is 429 whatever the password, and a right one counts (I-222, I-223, I-224, I-225, I-512, I-516, ID-69, T-05, T-06)', async () => {
  const { email } = await (await deployment.newOrg()).person('qa')
  const spellings = [email, ` ${email}`, email.toUpperCase(), `${email} `, email]
  const passwords = ['wrong', password, 'wrong', password, 'wrong']
  for (const [n, spelling] of spellings.entries())
    assert.ok(
      [200, 401].includes(
        (await at('203.0.113.1').post('/v1/login', { email: spelling, password: passwords[n] })).status,
      ),
    )
  const answer = await at('203.0.113.1').post('/v1/login', { email, password })
  refused(answer, 429, tooMany(email))
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
})

test('one count covers sign-in, org lists and resets, and an invented address counts alike (I-226, I-227, I-516, T-04, T-07)', async () => {
  const place = at('203.0.113.2')
  const email = 'invented@example.com'
  assert.equal((await place.post('/v1/login', { email, password })).status, 401)
  assert.equal((await place.post('/v1/login/orgs', { email, password })).status, 401)
  for (let n = 0; n < 3; n += 1) assert.equal((await place.post('/v1/login/reset', { email })).status, 202)
  refused(await place.post('/v1/login/reset', { email }), 429, tooMany(email))
  refused(await place.post('/v1/login', { email, password }), 429, tooMany(email))
  refused(await place.post('/v1/login/orgs', { email, password }), 429, tooMany(email))
})

test('the count is per client place: another place still signs in, and junk on the left of the header changes nothing (I-229, T-09, T-10)', async () => {
  const { email } = await (await deployment.newOrg()).person('qa')
  for (let n = 0; n < 5; n += 1)
    await at(`10.9.9.${n}, 203.0.113.3`).post('/v1/login', { email, password: 'wrong' })
  refused(await at('1.2.3.4, 203.0.113.3').post('/v1/login', { email, password }), 429, tooMany(email))
  assert.equal((await at('203.0.113.4').post('/v1/login', { email, password })).status, 200)
})

test('what is refused for its shape is not counted, nor is a code (ID-69, ID-70)', async () => {
  const place = at('203.0.113.5')
  const email = 'shapeless@example.com'
  for (let n = 0; n < 8; n += 1) {
    refused(await place.post('/v1/login', { email }), 400, /^sign in with/)
    refused(
      await place.post('/v1/login', { code: 'lc_invented' }),
      404,
      'that code is spent or was never made',
    )
  }
  assert.equal((await place.post('/v1/login', { email, password })).status, 401)
})

test('two gateways count together, and a try is admitted again a minute later (ID-44, T-08)', async () => {
  const second = await deployment.another()
  const email = 'both-gateways@example.com'
  const tries = Array.from({ length: 12 }, (_, n) =>
    at('203.0.113.6', n % 2 ? anonymous : second.anonymous).post('/v1/login', { email, password }),
  )
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 7)
  deployment.clock.forward(61_000)
  assert.equal((await at('203.0.113.6').post('/v1/login', { email, password })).status, 401)
})
