import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { NumberType } from '@switchroom/contract/numbers'
import { refused } from '../../../testing/client.ts'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const fixture = await NumberFixture.start({ settings: { SVC_NUMBERS_QUOTA: '20' } })
after(() => fixture[Symbol.asyncDispose]())
const { carrier, own, deployment } = fixture
beforeEach(() => {
  carrier.forSale.clear()
  carrier.terms.clear()
  carrier.regulated.clear()
  own.addresses.length = 0
  own.bundles.length = 0
  carrier.fault = () => undefined
})

const lines = (count: number) => Array.from({ length: count }, newLine)
const buy = (org: NumberOrg, more: object = {}, query = '') =>
  org.admin.post(`/v1/numbers/buy${query}`, { country: 'DE', agent: 'desk', ...more })
const search = (org: NumberOrg, query: Record<string, string> = {}) =>
  org.admin.get(`/v1/numbers/for-sale?${new URLSearchParams({ country: 'DE', ...query }).toString()}`)
const requirements = (org: NumberOrg, query: Record<string, string> = {}) =>
  org.admin.get(`/v1/numbers/requirements?${new URLSearchParams({ country: 'DE', ...query }).toString()}`)
const numbersOf = ({ numbers }: { numbers: { number: string }[] }) => numbers.map(({ number }) => number)
const searches = () => carrier.requests.filter(({ path }) => path.includes('/AvailablePhoneNumbers/'))
const purchases = () => carrier.writes.filter((write) => write.endsWith('/IncomingPhoneNumbers.json'))
const hint = 'that GET /v1/numbers/requirements lists'

test('numbers for sale are listed to choose from, by type, area code and digits, and the chosen one is bought', async () => {
  const org = await fixture.newOrg()
  const types: NumberType[] = ['local', 'mobile', 'national', 'toll-free']
  for (const type of types) {
    const numbers = lines(25)
    carrier.forSale.set('DE', [...numbers])
    for (const number of numbers) carrier.terms.set(number, { type, locality: 'Berlin', region: 'BE' })
    const found = done(await search(org, { type }))
    assert.deepEqual([found.country, found.type, numbersOf(found)], ['DE', type, numbers.slice(0, 20)])
    assert.deepEqual(found.numbers[0], {
      number: numbers[0],
      name: numbers[0],
      locality: 'Berlin',
      region: 'BE',
      needs_address: 'none',
    })
    assert.deepEqual(numbersOf(done(await search(org, { type, limit: '3' }))), numbers.slice(0, 3))
    assert.deepEqual(
      numbersOf(done(await search(org, { type, contains: '415555*', limit: '1' }))),
      numbers.slice(0, 1),
    )
    for (const other of types.filter((one) => one !== type))
      assert.deepEqual(done(await search(org, { type: other })).numbers, [])

    const chosen = numbers[7]
    const asked = { type, number: chosen }
    const dry = done(await buy(org, asked, '?dry_run=true'))
    assert.deepEqual([dry.route.number, dry.dry_run], [chosen, true])
    const before = [searches().length, purchases().length]
    assert.equal(done(await buy(org, asked)).route.number, chosen)
    assert.deepEqual([searches().length, purchases().length], [before[0], before[1]! + 1])
    assert.equal(done(await buy(org, { type })).route.number, numbers[0])
  }
  assert.equal((await org.list()).length, 8)
})

test('a search and a purchase refuse what is not of its shape', async () => {
  const org = await fixture.newOrg()
  const asked = carrier.requests.length
  const type = 'type: must be local, mobile, national or toll-free'
  refused(await search(org, { type: 'premium' }), 422, type)
  refused(await buy(org, { type: 'premium' }), 422, type)
  refused(await requirements(org, { type: '' }), 422, type)
  refused(await search(org, { country: 'DEU' }), 422, 'country: must be two letters')
  refused(await requirements(org, { country: '' }), 422, 'country: must be two letters')
  refused(await search(org, { area_code: 'x' }), 422, 'area_code: must be 1 to 6 digits')
  for (const limit of ['0', '101', '-1', '1.5', ''])
    refused(await search(org, { limit }), 422, 'limit: must be 1 to 100')
  for (const contains of ['1', '**', '1*', '+49', '1'.repeat(17)])
    refused(
      await search(org, { contains }),
      422,
      'contains: must be 2 to 16 digits, letters and *, of which two or more are not *',
    )
  refused(await search(org, { address: 'AD1' }), 422, `address: must be the id of one ${hint}`)
  refused(await buy(org, { address: 'none' }), 422, `address: must be the id of one ${hint}`)
  refused(await buy(org, { bundle: 'BU/../1' }), 422, `bundle: must be the id of one ${hint}`)
  refused(
    await buy(org, { number: '030 123' }),
    400,
    'number: 030 123 is not in E.164, as + and 7 to 15 digits',
  )
  refused(
    await buy(org, { number: newLine(), area_code: '30' }),
    400,
    'name number, or else area_code and contains: a chosen number is bought without a search',
  )
  assert.equal(carrier.requests.length, asked)
})

test('a number is chosen among those that the sent address suffices for, and the address is sent with the purchase', async () => {
  const org = await fixture.newOrg()
  const [none, any, local, foreign] = lines(4) as [string, string, string, string]
  const needs = [
    [foreign, 'foreign'],
    [local, 'local'],
    [any, 'any'],
    [none, 'none'],
  ] as const
  carrier.forSale.set('DE', [foreign, local, any, none])
  for (const [number, address] of needs) carrier.terms.set(number, { address })
  const here = own.addAddress('DE', 'Head office')
  const abroad = own.addAddress('FR', null, 'Paris')
  const all = done(await search(org))
  assert.deepEqual(
    all.numbers.map(({ number, needs_address }: Record<string, string>) => [number, needs_address]),
    needs,
  )
  assert.deepEqual(numbersOf(done(await search(org, { address: 'none' }))), [none])
  assert.deepEqual(numbersOf(done(await search(org, { address: here.sid }))), [local, any, none])
  assert.deepEqual(numbersOf(done(await search(org, { address: abroad.sid }))), [foreign, any, none])

  assert.equal(done(await buy(org)).route.number, none)
  assert.equal(done(await buy(org, { address: here.sid })).route.number, local)
  assert.equal(done(await buy(org, { address: abroad.sid })).route.number, foreign)
  assert.deepEqual(
    own.numbers.slice(-3).map(({ phone_number, address_sid }) => [phone_number, address_sid]),
    [
      [none, null],
      [local, here.sid],
      [foreign, abroad.sid],
    ],
  )
  const written = carrier.writes.length
  for (const query of ['', '?dry_run=true'])
    refused(
      await buy(org, {}, query),
      409,
      `every number for sale in DE needs an address: send as address one ${hint}`,
    )
  carrier.terms.set(any, { address: 'local' })
  refused(
    await buy(org, { address: abroad.sid }),
    409,
    /^every number for sale in DE needs an address in DE: /,
  )
  carrier.terms.set(any, { address: 'foreign' })
  refused(await buy(org), 409, /^every number for sale in DE needs an address outside of DE: /)
  assert.equal(carrier.writes.length, written)
  refused(
    await buy(org, { number: any }),
    502,
    `the carrier says: ${saidWith("Phone Number Requires an Address but the 'AddressSid' does not satisfy it.", 21631)}: send as address one ${hint} for local numbers in DE`,
  )
})

test('addresses and bundles are listed without street and person, and a bundle is sent with the purchase once it is approved', async () => {
  const org = await fixture.newOrg()
  const numbers = lines(3)
  carrier.forSale.set('DE', [...numbers])
  for (const number of numbers) carrier.terms.set(number, { type: 'mobile', address: 'local' })
  carrier.regulated.add('DE mobile')
  const address = own.addAddress('DE', 'Head office')
  const nameless = own.addAddress('DE', null, 'Hamburg')
  const approved = own.addBundle('DE', 'mobile')
  const waiting = own.addBundle('DE', 'mobile', 'pending-review', 'Second')
  const local = own.addBundle('DE', 'local')
  const answer = done(await requirements(org, { type: 'mobile' }))
  assert.deepEqual(answer, {
    country: 'DE',
    type: 'mobile',
    regulated: true,
    addresses: [
      { address: address.sid, name: 'Head office', city: 'Berlin', country: 'DE', validated: true },
      { address: nameless.sid, name: 'Hamburg', city: 'Hamburg', country: 'DE', validated: true },
    ],
    bundles: [
      {
        bundle: approved.sid,
        name: 'DE mobile',
        status: 'twilio-approved',
        approved: true,
        valid_until: null,
      },
      { bundle: waiting.sid, name: 'Second', status: 'pending-review', approved: false, valid_until: null },
    ],
  })
  assert.equal(done(await requirements(org)).regulated, false)

  const asked = { type: 'mobile', address: address.sid }
  refused(
    await buy(org, asked),
    502,
    `the carrier says: ${saidWith('Bundle required and not provided', 21649)}: send as bundle one ${hint} as approved for mobile numbers in DE`,
  )
  refused(
    await buy(org, { ...asked, bundle: waiting.sid }),
    409,
    `the bundle ${waiting.sid} is pending-review: a number is bought once the carrier has approved it`,
  )
  refused(
    await buy(org, { ...asked, bundle: local.sid }),
    404,
    `the platform's carrier account has no bundle ${local.sid} for this org: choose one ${hint} of mobile numbers in DE`,
  )
  assert.deepEqual(await org.list(), [])
  const { route } = done(await buy(org, { ...asked, bundle: approved.sid }))
  const bought = own.numbers.at(-1)
  assert.deepEqual(
    [bought?.phone_number, bought?.address_sid, bought?.bundle_sid],
    [route.number, address.sid, approved.sid],
  )
})

test('an address or a bundle that the operator named after one org is neither shown to another org nor taken from it', async () => {
  const [org, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const [number] = lines(1)
  carrier.forSale.set('DE', [number!])
  const address = own.addAddress('DE', `svc-${org.org.slug} Berlin office`)
  const bundle = own.addBundle('DE', 'local', 'twilio-approved', `svc-${org.id} Papers`)
  const shown = done(await requirements(org))
  assert.deepEqual([shown.addresses[0].name, shown.bundles[0].name], ['Berlin office', 'Papers'])
  const theirs = done(await requirements(other))
  assert.deepEqual([theirs.addresses, theirs.bundles], [[], []])
  const none = (what: string, sid: string) =>
    `the platform's carrier account has no ${what} ${sid} for this org: choose one ${hint}`
  refused(await buy(other, { address: address.sid }), 404, none('address', address.sid))
  refused(await search(other, { address: address.sid }), 404, none('address', address.sid))
  refused(
    await buy(other, { bundle: bundle.sid }),
    404,
    `${none('bundle', bundle.sid)} of local numbers in DE`,
  )
  assert.equal(done(await buy(org, { address: address.sid, bundle: bundle.sid })).route.number, number)
})

test('a chosen number that is sold meanwhile, is the org’s own, or is the platform’s for other uses is not bought', async () => {
  const org = await fixture.newOrg()
  const [sold, taken] = lines(2)
  refused(
    await buy(org, { number: sold }),
    502,
    `the carrier says: ${saidWith(`Invalid phone number: '${sold}' is not available.`, 21422)}: GET /v1/numbers/for-sale lists others for local numbers in DE`,
  )
  await org.imported({ number: taken, hooked: true })
  refused(
    await buy(org, { number: taken }),
    409,
    `${taken} is a number of this org already: GET /v1/numbers lists it`,
  )
  const { phone_number } = own.addNumber(newLine())
  const sentence = `${phone_number} is not for sale: choose one that GET /v1/numbers/for-sale lists`
  carrier.fault = ({ method }) => (method === 'POST' ? 'breaks' : undefined)
  for (const query of ['', '?dry_run=true'])
    refused(await buy(org, { number: phone_number }, query), 409, sentence)
  carrier.fault = () => undefined
  carrier.forSale.set('DE', lines(1))
  assert.notEqual(done(await buy(org)).route.number, phone_number)
})

test('a purchase that the carrier answered with an error of its own is taken up by the next one, as chosen', async () => {
  const org = await fixture.newOrg()
  const [first, second] = lines(2)
  carrier.forSale.set('DE', [first!, second!])
  const before = purchases().length
  carrier.dieAfter(1) // the number is sold, and the answer is lost
  refused(await buy(org, { number: second }), 502, 'the carrier did not answer')
  carrier.revive()
  assert.equal(done(await buy(org, { number: second })).route.number, second)
  assert.equal(purchases().length - before, 1)
  carrier.fault = (request) => {
    if (request.method !== 'POST' || !request.path.endsWith('/IncomingPhoneNumbers.json')) return undefined
    own.addNumber(first!)
    return { status: 504, message: 'Gateway time-out' }
  }
  assert.equal((await buy(org, { number: first })).status, 502)
  carrier.fault = () => undefined
  assert.equal(done(await buy(org, { number: first })).route.number, first)
  assert.equal(purchases().length - before, 2)
})

test('searching and listing take the numbers scope and an account of the platform’s own', async () => {
  const org = await fixture.newOrg()
  const { client } = await org.org.person('developer')
  for (const path of ['for-sale', 'requirements'])
    refused(
      await client.get(`/v1/numbers/${path}?country=DE`),
      403,
      /^this key does not open numbers: it opens /,
    )
  const poor = await deployment.another({
    SVC_CARRIER_ACCOUNT_SID: '',
    SVC_CARRIER_USER: '',
    SVC_CARRIER_SECRET: '',
  })
  const there = poor.anonymous.as((await org.org.person('admin')).key)
  for (const path of ['for-sale', 'requirements'])
    refused(
      await there.get(`/v1/numbers/${path}?country=DE`),
      503,
      'this platform has no carrier account of its own: set SVC_CARRIER_ACCOUNT_SID',
    )
})
