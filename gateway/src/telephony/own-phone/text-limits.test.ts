import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused, type Answer, type Client } from '../../../testing/client.ts'
import { startDeployment, testEnvironment } from '../../../testing/deployment.ts'
import { dayMs } from '../../foundation/clock.ts'
import { readSettings } from '../../foundation/settings.ts'

const carrier = await CarrierFake.start()
after(() => carrier.stop())
const account = carrier.account()
const { account_sid, user, secret } = account.newKey()
const deployment = await startDeployment({
  ...carrier.settings,
  SVC_CARRIER_ACCOUNT_SID: account_sid,
  SVC_CARRIER_USER: user,
  SVC_CARRIER_SECRET: secret,
  SVC_VERIFY_FROM: '+15005550006',
  SVC_VERIFY_TEXTS_PER_NUMBER: '5',
  SVC_VERIFY_TEXTS_PER_ORG: '8',
  SVC_VERIFY_TEXTS_PER_DAY: '20',
})
after(() => deployment[Symbol.asyncDispose]())
const second = await deployment.another()

let last = 0
const newNumber = () => `+4420794${String((last += 1)).padStart(5, '0')}`
const ask = (client: Client, number: string) => client.put('/v1/line/from', { number })
const nextDay = () => [deployment, second].forEach(({ clock }) => clock.forward(dayMs + 1))
const taken = (answers: Answer[]) => answers.filter(({ status }) => status === 202).length
const persons = async (count: number, org = deployment.newOrg()) => {
  const made = await org
  return Promise.all(Array.from({ length: count }, () => made.person('qa')))
}
/** In turn from the one gateway and the other. */
const from = (key: string, n: number) => (n % 2 ? deployment : second).anonymous.as(key)

const ofNumber = (number: string) => `5 codes were sent to ${number} in the last day: try again tomorrow`
const ofOrg = 'this org was sent 8 codes in the last day: try again tomorrow, or ask the operator for more'
const ofDeployment =
  'this deployment sent 20 codes in the last day: try again tomorrow, or ask the operator for more'

test('one number gets five texts a day over all callers and gateways, also at the same moment', async () => {
  const number = newNumber()
  const people = [...(await persons(4)), ...(await persons(4))]
  const answers = await Promise.all(people.map(({ key }, n) => ask(from(key, n), number)))
  assert.equal(taken(answers), 5)
  for (const answer of answers)
    if (answer.status !== 202) {
      refused(answer, 429, ofNumber(number))
      assert.match(answer.headers.get('retry-after') ?? '', /^86[34]\d\d$/)
    }
  assert.equal(account.texts.filter(({ to }) => to === number).length, 5)
  nextDay()
  assert.equal((await ask(from(people[0]?.key ?? '', 0), number)).status, 202)
})

test('an org is sent so many texts a day over all its members and numbers, also at the same moment', async () => {
  nextDay()
  const people = await persons(12)
  const before = account.texts.length
  const answers = await Promise.all(people.map(({ key }, n) => ask(from(key, n), newNumber())))
  assert.equal(taken(answers), 8)
  for (const answer of answers) if (answer.status !== 202) refused(answer, 429, ofOrg)
  assert.equal(account.texts.length - before, 8)
})

test('a deployment sends so many texts a day over all orgs, and what it refuses is kept in no count', async () => {
  nextDay()
  const people = (await Promise.all(Array.from({ length: 6 }, () => persons(4)))).flat()
  const numbers = people.map(newNumber)
  const answers = await Promise.all(people.map(({ key }, n) => ask(from(key, n), String(numbers[n]))))
  assert.equal(taken(answers), 20)
  for (const answer of answers) if (answer.status !== 202) refused(answer, 429, ofDeployment)
  const refusedOne = answers.findIndex(({ status }) => status === 429)
  const { id, client } = people[refusedOne] as (typeof people)[number]
  const kept = await deployment.sql('select from phone_codes where member = $1', [id])
  assert.equal(kept.rowCount, 0)
  nextDay()
  for (let n = 0; n < 3; n += 1)
    assert.equal((await ask(client, String(numbers[refusedOne]))).status, 202, 'three in this hour')
})

test('the operator turns texts off', async () => {
  const other = await deployment.another({ SVC_VERIFY_TEXTS: 'off' })
  const [{ key } = { key: '' }] = await persons(1)
  const before = account.texts.length
  const sentence = 'this deployment sends no codes: the operator turned them off with SVC_VERIFY_TEXTS'
  refused(await ask(other.anonymous.as(key), newNumber()), 403, sentence)
  assert.equal(account.texts.length, before)
})

test('the operator names the countries that get texts; a number of no known country is none of them', async () => {
  nextDay()
  const other = await deployment.another({ SVC_VERIFY_COUNTRIES: 'us, GB' })
  const [{ key } = { key: '' }] = await persons(1)
  for (const number of ['+4915112345678', '+2250712345678', '+12425551234', '+1200'.padEnd(12, '5')])
    refused(
      await ask(other.anonymous.as(key), number),
      403,
      `${number} gets no code: this deployment sends them to US · GB alone`,
    )
  assert.equal((await ask(other.anonymous.as(key), newNumber())).status, 202)
  assert.equal((await ask(other.anonymous.as(key), '+12125550123')).status, 202)
})

test('by default texts go anywhere, 5 a number, 50 an org and 500 a deployment in a day', () => {
  const read = (wanted: Record<string, string> = {}) =>
    readSettings(testEnvironment('postgresql://x', wanted)).telephony.verifyTexts
  const byDefault = { areSent: true, perNumber: 5, perOrg: 50, perDay: 500, countries: undefined }
  assert.deepEqual(read(), byDefault)
  assert.throws(() => read({ SVC_VERIFY_COUNTRIES: 'GB, Germany' }), {
    message: 'SVC_VERIFY_COUNTRIES holds Germany, which is not a country of two letters, as DE',
  })
})
