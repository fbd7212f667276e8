import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { NumberType } from '@switchroom/contract/numbers'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { CarrierReferee, RestException, sdkOf } from '../../../testing/telephony/carrier-sdk.ts'
import { readTelephonySettings } from '../../foundation/telephony-settings.ts'
import { ApiCarrier } from './api-carrier.ts'
import { CarrierClient } from './carrier-client.ts'
import { WireFailure } from './carrier-wire.ts'
import { NumberShop } from './number-shop.ts'

// The carrier's official SDK, twilio 6.2.0, is the referee: it works against the fake, and our requests are its own.
const fake = await CarrierFake.start()
after(() => fake.stop())
beforeEach(() => {
  fake.fault = () => undefined
  fake.requests.length = 0
  fake.longestPage = 1000
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
const referee = new CarrierReferee(fake)

const caught = async (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )

test('the SDK finds, buys, lists and releases numbers of each type on the fake, by the requests that ours makes', async () => {
  const account = fake.account()
  const { sdk } = sdkOf(fake, account.login)
  const sells = sdk.availablePhoneNumbers('DE')
  const asked = { areaCode: 30, contains: '00*', voiceEnabled: true, limit: 2 }
  type Offer = Awaited<ReturnType<typeof sells.local.list>>[number]
  type Shown = Pick<Offer, 'phoneNumber' | 'locality' | 'region' | 'addressRequirements' | 'isoCountry'>
  const types: [NumberType, () => Promise<Shown[]>][] = [
    ['local', () => sells.local.list(asked)],
    ['mobile', () => sells.mobile.list(asked)],
    ['national', () => sells.national.list(asked)],
    ['toll-free', () => sells.tollFree.list(asked)],
  ]
  for (const [type, list] of types) {
    const numbers = Array.from({ length: 3 }, (_, n) => `+4930${types.length}${n}${type.length}00${n}`)
    fake.forSale.set('DE', [...numbers])
    for (const number of numbers) fake.terms.set(number, { type, locality: 'Berlin', region: 'BE' })
    const found = await referee.assertSame(
      () => shop.search(account.login, { country: 'DE', type, areaCode: '30', contains: '00*', limit: 2 }),
      list,
    )
    assert.deepEqual(
      found.theirs.map(({ phoneNumber, locality, region, addressRequirements, isoCountry }) => [
        phoneNumber,
        locality,
        region,
        addressRequirements,
        isoCountry,
      ]),
      numbers.slice(0, 2).map((number) => [number, 'Berlin', 'BE', 'none', 'DE']),
    )
    const [first = '', second = ''] = numbers
    const bought = await sdk.incomingPhoneNumbers.create({ phoneNumber: first })
    assert.deepEqual([bought.phoneNumber, bought.accountSid], [first, account.sid])
    assert.ok(bought.dateCreated instanceof Date && !Number.isNaN(bought.dateCreated.getTime()))
    assert.equal((await shop.buy(account.login, second)).phone_number, second)
    const listed = await referee.assertSame(
      () => carrier.findNumber(account.login, first),
      () => sdk.incomingPhoneNumbers.list({ phoneNumber: first, pageSize: 100 }),
    )
    assert.deepEqual([listed.ours?.sid, listed.theirs[0]?.sid], [bought.sid, bought.sid])
    const theirs = await referee.sentBy(() => sdk.incomingPhoneNumbers(bought.sid).remove())
    const { sid = '' } = account.numbers.find(({ phone_number }) => phone_number === second) ?? {}
    const own = await referee.sentBy(() => shop.release(account.login, sid))
    assert.deepEqual(
      own.sent.map(({ method, path }) => [method, path.replace(sid, bought.sid)]),
      theirs.sent.map(({ method, path }) => [method, path]),
    )
    assert.equal(theirs.answer, true)
    assert.deepEqual(account.numbers, [])
    await shop.release(account.login, sid) // gone already
    const gone = await caught(sdk.incomingPhoneNumbers(bought.sid).remove())
    assert.ok(gone instanceof RestException)
    assert.deepEqual([gone.status, gone.code], [404, 20404])
  }
})

test('the SDK leaves out numbers that need an address by the parameters that ours sends, and buys with address and bundle', async () => {
  const account = fake.account()
  const { sdk } = sdkOf(fake, account.login)
  const needs = {
    '+33100000001': 'none',
    '+33100000002': 'any',
    '+33100000003': 'local',
    '+33100000004': 'foreign',
  }
  fake.forSale.set('FR', Object.keys(needs))
  for (const [number, address] of Object.entries(needs))
    fake.terms.set(number, { address: address as 'none' | 'any' | 'local' | 'foreign' })
  const list = sdk.availablePhoneNumbers('FR').local
  const wanted = { country: 'FR', type: 'local', limit: 20 } as const
  const cases = [
    ['none', { excludeAllAddressRequired: true }, ['none']],
    ['local', { excludeForeignAddressRequired: true }, ['none', 'any', 'local']],
    ['foreign', { excludeLocalAddressRequired: true }, ['none', 'any', 'foreign']],
  ] as const
  for (const [address, exclusion, expected] of cases) {
    const { theirs } = await referee.assertSame(
      () => shop.search(account.login, { ...wanted, address }),
      () => list.list({ voiceEnabled: true, ...exclusion, limit: 20 }),
    )
    assert.deepEqual(
      theirs.map(({ addressRequirements }) => addressRequirements),
      expected,
    )
  }

  fake.regulated.add('FR local')
  const address = account.addAddress('FR', 'Paris office', 'Paris')
  const bundle = account.addBundle('FR', 'local')
  const phoneNumber = '+33100000003'
  const papers = { addressSid: address.sid, bundleSid: bundle.sid }
  const without = await caught(sdk.incomingPhoneNumbers.create({ phoneNumber }))
  assert.ok(without instanceof RestException)
  assert.deepEqual(
    [without.status, without.code, without.moreInfo],
    [400, 21631, 'https://www.twilio.com/docs/errors/21631'],
  )
  const theirs = await referee.sentBy(() => sdk.incomingPhoneNumbers.create({ phoneNumber, ...papers }))
  fake.forSale.get('FR')?.push(phoneNumber)
  const own = await referee.sentBy(() =>
    shop.buy(account.login, phoneNumber, { address: address.sid, bundle: bundle.sid }),
  )
  assert.deepEqual(own.sent, theirs.sent)
  assert.deepEqual(
    account.numbers.map(({ address_sid, bundle_sid }) => [address_sid, bundle_sid]),
    [
      [address.sid, bundle.sid],
      [address.sid, bundle.sid],
    ],
  )
  fake.regulated.clear()
})

test('the SDK lists addresses, bundles and regulations, page by page, by the requests that ours makes', async () => {
  const account = fake.account()
  const { sdk } = sdkOf(fake, account.login)
  for (let n = 0; n < 3; n += 1) {
    account.addAddress('DE', `Office ${n}`)
    account.addBundle('DE', 'toll-free', n === 0 ? 'pending-review' : 'twilio-approved')
  }
  account.addBundle('DE', 'local')
  fake.regulated.add('DE toll-free')
  fake.longestPage = 2
  const addresses = await referee.assertSame(
    () => shop.addresses(account.login),
    () => sdk.addresses.list({ pageSize: 100 }),
  )
  assert.deepEqual(
    addresses.theirs.map(({ sid, friendlyName, isoCountry, validated }) => [
      sid,
      friendlyName,
      isoCountry,
      validated,
    ]),
    addresses.ours.map(({ sid, friendly_name, iso_country, validated }) => [
      sid,
      friendly_name,
      iso_country,
      validated,
    ]),
  )
  assert.equal(addresses.ours.length, 3)
  const kind = { country: 'DE', type: 'toll-free' } as const
  const compliance = sdk.numbers.v2.regulatoryCompliance
  const bundles = await referee.assertSame(
    () => shop.bundles(account.login, kind),
    () => compliance.bundles.list({ isoCountry: 'DE', numberType: 'toll-free', pageSize: 100 }),
  )
  assert.deepEqual(
    bundles.theirs.map(({ sid, status }) => [sid, status]),
    bundles.ours.map(({ sid, status }) => [sid, status]),
  )
  assert.deepEqual(bundles.theirs.map(({ status }) => status).toSorted(), [
    'pending-review',
    'twilio-approved',
    'twilio-approved',
  ])
  const regulations = await referee.assertSame(
    () => shop.isRegulated(account.login, kind),
    () => compliance.regulations.list({ isoCountry: 'DE', numberType: 'toll-free', limit: 1 }),
  )
  assert.deepEqual([regulations.ours, regulations.theirs[0]?.numberType], [true, 'toll-free'])
  assert.equal(await shop.isRegulated(account.login, { country: 'US', type: 'local' }), false)
  fake.regulated.clear()
})

test('the SDK reads the fake’s refusals: status, code, sentence and page', async () => {
  const account = fake.account()
  const wrong = sdkOf(fake, { ...account.login, secret: 'another' }).sdk
  const closed = await caught(wrong.incomingPhoneNumbers.list({ limit: 1 }))
  assert.ok(closed instanceof RestException)
  assert.deepEqual([closed.status, closed.code, closed.message], [401, 20003, 'Authenticate'])
  const { sdk } = sdkOf(fake, account.login)
  const sold = await caught(sdk.incomingPhoneNumbers.create({ phoneNumber: '+14155550100' }))
  assert.ok(sold instanceof RestException)
  assert.deepEqual(
    [sold.status, sold.code, sold.message, sold.moreInfo],
    [
      400,
      21422,
      "Invalid phone number: '+14155550100' is not available.",
      'https://www.twilio.com/docs/errors/21422',
    ],
  )
  const nowhere = await caught(sdk.availablePhoneNumbers('ZZ').mobile.list({ limit: 1 }))
  assert.ok(nowhere instanceof RestException)
  assert.deepEqual([nowhere.status, nowhere.code], [404, 20404])
})

test('a refusal in the form of RFC 9457 is read as the SDK reads it', async () => {
  const account = fake.account()
  const problem = {
    type: 'https://www.twilio.com/docs/errors/22102',
    title: 'Bundle Error',
    status: 400,
    code: 22102,
    detail: 'The bundle is not complete',
  }
  fake.fault = () => ({
    status: 400,
    body: JSON.stringify(problem),
    headers: { 'content-type': 'application/problem+json' },
  })
  const { sdk } = sdkOf(fake, account.login)
  const theirs = await caught(sdk.incomingPhoneNumbers.create({ phoneNumber: '+14155550100' }))
  assert.ok(theirs instanceof Error)
  const { message, code } = theirs as Error & { code: number }
  assert.deepEqual([message, code], ['[HTTP 400] Bundle Error', 22102])
  const ours = await caught(shop.buy(account.login, '+14155550100'))
  assert.ok(ours instanceof WireFailure)
  assert.deepEqual(
    [ours.message, ours.errorCode, ours.isRefused],
    [
      'the carrier says: The bundle is not complete (code 22102, see https://www.twilio.com/docs/errors/22102)',
      22102,
      true,
    ],
  )
})

test('without settings our requests go to the hosts of the SDK', async () => {
  const account = fake.account()
  const { sdk, origins } = sdkOf(fake, account.login)
  await sdk.addresses.list({ limit: 1 })
  await sdk.trunking.v1.trunks.list({ limit: 1 })
  await sdk.numbers.v2.regulatoryCompliance.bundles.list({ limit: 1 })
  const { accountApi, trunkingApi, numbersApi } = readTelephonySettings(() => undefined, undefined).apiCarrier
  assert.deepEqual([accountApi, trunkingApi, numbersApi], origins)
})
