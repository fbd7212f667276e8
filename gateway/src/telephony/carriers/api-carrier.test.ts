import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { ApiCarrier } from './api-carrier.ts'
import { CarrierClient } from './carrier-client.ts'
import { WireFailure, wireTimeoutMs } from './carrier-wire.ts'
import { NumberShop } from './number-shop.ts'
import { completeTrunk, findTrunk } from './trunks.ts'

const fake = await CarrierFake.start()
const elsewhere = await CarrierFake.start()
after(() => Promise.all([fake.stop(), elsewhere.stop()]))
beforeEach(() => {
  fake.fault = () => undefined
  fake.requests.length = 0
  fake.longestPage = 1000
  fake.revive()
})

const bases = {
  accountApi: fake.url,
  trunkingApi: fake.url,
  numbersApi: fake.url,
  termination: 'pstn.twilio.com',
}
const client = new CarrierClient(bases)
const carrier = new ApiCarrier(client)
const shop = new NumberShop(client)

const failureOf = async (asked: Promise<unknown>): Promise<WireFailure> => {
  const failure = await asked.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof WireFailure, String(failure))
  assert.equal(failure.status, 502)
  return failure
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => `+1415555${String(n).padStart(4, '0')}`)

test('every page of both listings is read, the account API by path and the trunking API by address (N-141, ND-20, T-44)', async () => {
  const numbers = numbered(250)
  const account = fake.account(...numbers)
  const found = await carrier.numbers(account.login)
  assert.deepEqual(
    found.map(({ phone_number }) => phone_number),
    numbers,
  )
  assert.deepEqual(
    fake.requests.map(({ query }) => [query['PageSize'], query['Page']]),
    [
      ['100', undefined],
      ['100', '1'],
      ['100', '2'],
    ],
  )

  for (let n = 0; n < 7; n += 1) account.addTrunk(`trunk ${n}`)
  fake.longestPage = 3
  const trunks = await carrier.trunks(account.login)
  assert.deepEqual(
    trunks.map(({ friendly_name }) => friendly_name),
    numbered(7).map((_, n) => `trunk ${n}`),
  )
})

test('one number is found exactly, although the carrier answers every number that contains it (ND-20)', async () => {
  const account = fake.account('+141555512345', '+14155551234')
  assert.equal((await carrier.findNumber(account.login, '+14155551234'))?.phone_number, '+14155551234')
  assert.equal(await carrier.findNumber(account.login, '+1415555'), undefined)
})

test('an API key opens an account, although the account itself is closed to it (N-015, N-122, T-34, ND-20)', async () => {
  const account = fake.account()
  const key = account.newKey()
  const itself = await fetch(`${fake.url}/2010-04-01/Accounts/${account.sid}.json`, {
    headers: { authorization: `Basic ${btoa(`${key.user}:${key.secret}`)}` },
  })
  assert.equal(itself.status, 401)
  await carrier.open(key)
  await carrier.open(account.login)
  assert.equal((await failureOf(carrier.open({ ...key, secret: 'another' }))).answered, 401)
})

test('a refusal is a 502 with the sentence of the carrier, its code and the page about it (N-204, N-520, ND-20)', async () => {
  const account = fake.account()
  fake.fault = () => ({ status: 503, code: 20503, message: 'Service\n  Unavailable today' })
  assert.equal(
    (await failureOf(carrier.trunks(account.login))).message,
    'the carrier says: Service Unavailable today (code 20503, see https://www.twilio.com/docs/errors/20503)',
  )
  const said = async (body: object) => {
    fake.fault = () => ({ status: 400, body: JSON.stringify(body) })
    const { message, errorCode } = await failureOf(carrier.trunks(account.login))
    return [message, errorCode]
  }
  assert.deepEqual(await said({ message: 'No', code: 20001 }), ['the carrier says: No (code 20001)', 20001])
  assert.deepEqual(await said({ message: 'No', code: 'x', more_info: 'javascript:alert(1)' }), [
    'the carrier says: No',
    undefined,
  ])
  assert.deepEqual(await said({ code: 20001, more_info: 'https://carrier.example/20001' }), [
    'the carrier did not answer as it should: status 400',
    20001,
  ])
  const [long] = await said({ message: 'x'.repeat(900), code: 7, more_info: 'https://carrier.example/7' })
  assert.ok(String(long).endsWith('xx (code 7, see https://carrier.example/7)'))
  fake.fault = () => ({ status: 500, body: '<html>broken</html>' })
  assert.equal(
    (await failureOf(carrier.trunks(account.login))).message,
    'the carrier did not answer as it should: status 500',
  )
  fake.fault = () => ({ status: 200, body: 'hello' })
  await failureOf(carrier.trunks(account.login))
  fake.fault = () => ({ status: 200, body: '{"trunks": 3}' })
  await failureOf(carrier.trunks(account.login))
})

test('a carrier that hangs, breaks off or is not there did not answer (ND-20)', async () => {
  const account = fake.account()
  const hasty = new ApiCarrier(new CarrierClient(bases, { timeoutMs: 300 }))
  for (const fault of ['hangs', 'breaks'] as const) {
    fake.fault = () => fault
    assert.equal((await failureOf(hasty.trunks(account.login))).message, 'the carrier did not answer')
  }
  assert.equal(wireTimeoutMs, 10_000)
  const nowhere = new ApiCarrier(new CarrierClient({ ...bases, accountApi: 'http://127.0.0.1:1' }))
  const failure = await failureOf(nowhere.numbers(account.login))
  assert.deepEqual([failure.message, failure.answered], ['the carrier did not answer', undefined])
})

test('no redirect and no next page leads the credentials to another host (T-30, ND-20)', async () => {
  const account = fake.account(...numbered(3))
  const location = `${elsewhere.url}/2010-04-01/Accounts/${account.sid}/IncomingPhoneNumbers.json`
  fake.fault = () => ({ status: 307, body: '', headers: { location } })
  await failureOf(carrier.numbers(account.login))
  const wayOut = [
    location,
    `//${new URL(elsewhere.url).host}/`,
    'https://api.example.com/',
    7,
    'file:///etc/passwd',
  ]
  for (const next_page_uri of wayOut) {
    fake.fault = () => ({ status: 200, body: JSON.stringify({ incoming_phone_numbers: [], next_page_uri }) })
    await failureOf(carrier.numbers(account.login))
    const meta = { next_page_url: next_page_uri }
    fake.fault = () => ({ status: 200, body: JSON.stringify({ trunks: [], meta }) })
    await failureOf(carrier.trunks(account.login))
    fake.fault = () => ({ status: 200, body: JSON.stringify({ results: [], meta }) })
    await failureOf(shop.bundles(account.login, { country: 'DE', type: 'local' }))
  }
  assert.deepEqual(elsewhere.requests, [])
})

test('pages that lead in a circle end (ND-20)', async () => {
  const account = fake.account()
  const next_page_uri = `/2010-04-01/Accounts/${account.sid}/IncomingPhoneNumbers.json?PageSize=100`
  fake.fault = () => ({ status: 200, body: JSON.stringify({ incoming_phone_numbers: [], next_page_uri }) })
  await failureOf(carrier.numbers(account.login))
  assert.equal(fake.requests.length, 1)
})

test('a sentence that repeats a secret is shown without it (T-30, ND-20)', async () => {
  const account = fake.account()
  const { login } = account
  const pair = Buffer.from(`${login.user}:${login.secret}`).toString('base64')
  fake.fault = () => ({ status: 400, message: `pair ${login.secret} in Basic ${pair} is wrong` })
  assert.equal(
    (await failureOf(carrier.trunks(login))).message,
    'the carrier says: pair … in Basic … is wrong (code 20500, see https://www.twilio.com/docs/errors/20500)',
  )
  fake.fault = () => ({ status: 400, message: `${'x'.repeat(490)}${login.secret}` })
  const { message: cut } = await failureOf(carrier.trunks(login))
  assert.ok(!cut.includes(login.secret.slice(0, 5)))
  fake.fault = () => undefined
  const list = await carrier.makeCredentialList(login, 'svc example')
  const weak = carrier.makeCredential(login, list.sid, { username: 'svc', password: 'hunter-two-all-lower' })
  assert.equal(
    (await failureOf(weak)).message,
    'the carrier says: Password … must be 12 characters of mixed case and a digit (code 21231, see https://www.twilio.com/docs/errors/21231)',
  )
})

test('the trunk that points here is found whatever it is called, and a half-made one is completed (N-165, N-166, T-42, T-43, ND-28)', async () => {
  const own = fake.account()
  const { login } = own
  own.addTrunk('svc sip.example.com', 'sip:elsewhere.example.com:5060;transport=udp')
  assert.deepEqual(await findTrunk(carrier, login, 'sip.example.com'), { trunk: undefined, points: false })

  fake.dieAfter(1) // the trunk is made, and the answer is lost
  const nothing = { trunk: undefined, points: false }
  await failureOf(completeTrunk(carrier, login, 'sip.example.com', nothing))
  fake.revive()
  const halfMade = await findTrunk(carrier, login, 'sip.example.com')
  assert.deepEqual([halfMade.trunk?.sid, halfMade.points], [own.trunks[1]?.sid, false])
  await completeTrunk(carrier, login, 'sip.example.com', halfMade)
  assert.equal(own.trunks.length, 2)
  assert.deepEqual(
    own.trunks[1]?.origination.map(({ sip_url }) => sip_url),
    ['sip:sip.example.com:5060;transport=udp'],
  )

  const [, made] = own.trunks
  if (made) made.friendly_name = 'renamed by hand'
  const renamed = await findTrunk(carrier, login, 'SIP.example.com')
  assert.deepEqual([renamed.trunk?.sid, renamed.points], [made?.sid, true])
  if (made?.origination[0]) made.origination[0].enabled = false
  assert.equal((await findTrunk(carrier, login, 'sip.example.com')).points, false)
})

test('a country that the carrier does not know has nothing for sale, and the area code is sent as it is (N-214, N-514, ND-20)', async () => {
  const account = fake.account()
  fake.forSale.set('US', ['+12125550100', '+14155550100'])
  const search = async (country: string, areaCode?: string) => {
    const asked = { country, type: 'local', limit: 20, ...(areaCode !== undefined && { areaCode }) } as const
    return (await shop.search(account.login, asked)).map(({ phone_number }) => phone_number)
  }
  assert.deepEqual(await search('US', '415'), ['+14155550100'])
  assert.deepEqual(fake.requests[0]?.query, { AreaCode: '415', VoiceEnabled: 'true', PageSize: '20' })
  assert.deepEqual(await search('US', '0415'), [])
  assert.deepEqual(await search('ZZ'), [])
  assert.equal((await shop.buy(account.login, '+14155550100')).phone_number, '+14155550100')
  const twice = await failureOf(shop.buy(account.login, '+14155550100'))
  assert.equal(
    twice.message,
    "the carrier says: Invalid phone number: '+14155550100' is not available. (code 21422, see https://www.twilio.com/docs/errors/21422)",
  )
})
