import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer, type Client } from '../../../testing/client.ts'
import { password, startDeployment, testEnvironment } from '../../../testing/deployment.ts'
import { minuteMs } from '../../foundation/clock.ts'
import { readSettings } from '../../foundation/settings.ts'

// The default, which the other test deployments raise.
const unset = { SVC_SIGN_IN_TRIES_PER_PLACE: '', SVC_TRUSTED_PROXIES: '127.0.0.1' }
const deployment = await startDeployment({
  ...unset,
  SVC_SIGNUP: 'on',
  SVC_SMTP_URL: 'smtp://127.0.0.1:1',
  SVC_MAIL_FROM: 'a@b.example',
})
after(() => deployment[Symbol.asyncDispose]())
const second = await deployment.another()
const { anonymous } = deployment

const at = (place: string, client: Client = anonymous) => client.with({ 'x-forwarded-for': place })
const tooMany = (place: string) => `too many attempts from ${place}: try again in a minute`
let last = 0
const stranger = () => `stranger-${(last += 1)}@example.com`

/** Every endpoint that strangers reach, each time with another address. */
const endpoints: Record<string, (client: Client) => Promise<Answer>> = {
  'sign-in': (client) => client.post('/v1/login', { email: stranger(), password: 'guessed' }),
  'sign-in with a code': (client) => client.post('/v1/login', { code: `lc_${stranger()}` }),
  'org list': (client) => client.post('/v1/login/orgs', { email: stranger(), password: 'guessed' }),
  reset: (client) => client.post('/v1/login/reset', { email: stranger() }),
  pairing: (client) => client.post('/v1/login/pairings', { device: 'laptop' }),
  'pairing word': (client) => client.get(`/v1/login/pairings/cli_${stranger()}`),
  discovery: (client) => client.post('/v1/login/sso/discover', { email: stranger() }),
  'single sign-on': (client) => client.get('/v1/login/sso?org=no-such-org'),
  'sign-up': (client) =>
    client.post('/v1/signup', { org: `org-${(last += 1)}`, email: stranger(), password }),
  'sign-up code': (client) => client.post('/v1/signup/verify', { email: stranger(), code: '000000' }),
  'another sign-up code': (client) => client.post('/v1/signup/resend', { email: stranger() }),
}

const use = async (place: string, tries: number) => {
  for (let n = 0; n < tries; n += 1)
    assert.equal((await at(place).post('/v1/login/pairings', { device: 'laptop' })).status, 200)
}

test('31 passwords tried on 31 addresses from one place: the last is refused (ID-69)', async () => {
  const place = '203.0.113.10'
  for (let n = 0; n < 30; n += 1)
    assert.equal((await endpoints['sign-in']?.(at(place)))?.status, 401, `try ${n + 1}`)
  const answer = await at(place).post('/v1/login', { email: stranger(), password: 'guessed' })
  refused(answer, 429, tooMany(place))
  assert.match(answer.headers.get('retry-after') ?? '', /^(?:[1-9]|[1-5]\d|60)$/)
  assert.notEqual((await at('203.0.113.11').post('/v1/login/pairings', { device: 'x' })).status, 429)
})

test('every endpoint that strangers reach takes from the same count of its place (ID-69, ID-97)', async () => {
  for (const [n, [name, ask]] of Object.entries(endpoints).entries()) {
    const place = `198.51.100.${n + 1}`
    await use(place, 29)
    const admitted = await ask(at(place))
    assert.notEqual(admitted.status, 429, `${name}: ${admitted.text}`)
    refused(await ask(at(place)), 429, tooMany(place))
    refused(await at(place).post('/v1/login', { email: stranger(), password }), 429, tooMany(place))
  }
})

test('of 60 sign-ins at the same moment over two gateways 30 are tried, and 30 again a minute later (ID-69)', async () => {
  const place = '203.0.113.20'
  const clients = [at(place), at(place, second.anonymous)]
  const storm = () =>
    Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        (clients[n % 2] as Client).post('/v1/login', { email: stranger(), password: 'guessed' }),
      ),
    )
  const admitted = (answers: Answer[]) => answers.filter(({ status }) => status === 401).length
  const answers = await storm()
  assert.equal(admitted(answers), 30)
  for (const answer of answers) if (answer.status !== 401) refused(answer, 429, tooMany(place))
  deployment.clock.forward(minuteMs + 1)
  second.clock.forward(minuteMs + 1)
  assert.equal(admitted(await storm()), 30)
})

test('a machine that changes its address within its IPv6 /64 is one place', async () => {
  for (let n = 0; n < 30; n += 1) {
    const answer = await at(`2001:db8:1:2::${(n + 1).toString(16)}`).post('/v1/login/pairings', {
      device: 'x',
    })
    assert.equal(answer.status, 200)
  }
  const answer = await at('2001:db8:1:2:ffff:ffff:ffff:ffff').post('/v1/login/pairings', { device: 'x' })
  refused(answer, 429, tooMany('2001:db8:1:2::/64'))
  assert.equal((await at('2001:db8:1:3::1').post('/v1/login/pairings', { device: 'x' })).status, 200)
})

test('terminals that wait for their approval poll on a count of their own: ten of them at one place, once a second', async () => {
  const place = '203.0.113.30'
  const { code } = (await at(place).post('/v1/login/pairings', { device: 'laptop' })).body
  await use(place, 29)
  const collect = () => at(place).get(`/v1/login/pairings/${code}/key`)
  for (let batch = 0; batch < 12; batch += 1)
    for (const answer of await Promise.all(Array.from({ length: 50 }, collect)))
      assert.equal(answer.status, 202)
  refused(await collect(), 429, tooMany(place))
})

test('30 tries a minute are the default, and the operator changes it', () => {
  const triesOf = (value: string) =>
    readSettings(testEnvironment('postgresql://x', { SVC_SIGN_IN_TRIES_PER_PLACE: value })).limits
      .signInTriesPerAddress
  assert.deepEqual([triesOf(''), triesOf('7')], [30, 7])
})
