import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { CarrierReferee, sdkOf } from '../../../testing/telephony/carrier-sdk.ts'
import { ApiCarrier } from './api-carrier.ts'
import { CarrierClient } from './carrier-client.ts'

// The carrier's official SDK, twilio 6.2.0, is the referee: it works against the fake, and our requests are its own.
const fake = await CarrierFake.start()
after(() => fake.stop())
const referee = new CarrierReferee(fake)
const carrier = new ApiCarrier(
  new CarrierClient({
    accountApi: fake.url,
    trunkingApi: fake.url,
    numbersApi: fake.url,
    termination: 'pstn.twilio.com',
  }),
)

test('the SDK makes and changes trunks on the fake, by the requests that ours makes', async () => {
  const account = fake.account('+14155550101', '+14155550102')
  const key = account.newKey()
  const { sdk } = sdkOf(fake, key)
  const { trunks } = sdk.trunking.v1
  const made = await referee.assertSame(
    () => carrier.makeTrunk(key, 'svc voice.example'),
    () => trunks.create({ friendlyName: 'svc voice.example' }),
  )
  const [ours, theirs] = [made.ours.sid, made.theirs.sid]
  const trunk = trunks(theirs)
  const [first = '', second = ''] = account.numbers.map(({ sid }) => sid)
  const apart = [
    [ours, theirs],
    [first, second],
    ['svc-ours', 'svc-theirs'],
  ] as const

  const url = 'sip:voice.example:5060;transport=udp'
  const origination = { friendlyName: url, sipUrl: url, priority: 10, weight: 10, enabled: true }
  await referee.assertSame(
    () => carrier.addOrigination(key, ours, url),
    () => trunk.originationUrls.create(origination),
    apart,
  )
  const urls = await referee.assertSame(
    () => carrier.originationUrls(key, theirs),
    () => trunk.originationUrls.list({ pageSize: 100 }),
  )
  assert.deepEqual(
    urls.theirs.map(({ sipUrl, enabled, priority }) => [sipUrl, enabled, priority]),
    [[url, true, 10]],
  )
  await referee.assertSame(
    () => carrier.setDomain(key, ours, 'svc-ours.pstn.twilio.com'),
    () => trunk.update({ domainName: 'svc-theirs.pstn.twilio.com' }),
    apart,
  )
  await referee.assertSame(
    () => carrier.attach(key, ours, first),
    () => trunk.phoneNumbers.create({ phoneNumberSid: second }),
    apart,
  )
  assert.deepEqual(
    account.numbers.map(({ trunk_sid }) => trunk_sid),
    [ours, theirs],
  )
  await referee.assertSame(
    () => carrier.detach(key, ours, first),
    () => trunk.phoneNumbers(second).remove(),
    apart,
  )

  fake.longestPage = 1 // every page is asked for
  const listed = await referee.assertSame(
    () => carrier.trunks(key),
    () => trunks.list({ pageSize: 100 }),
  )
  assert.deepEqual(
    listed.theirs.map(({ sid, friendlyName, domainName }) => [sid, friendlyName, domainName]),
    [
      [ours, 'svc voice.example', 'svc-ours.pstn.twilio.com'],
      [theirs, 'svc voice.example', 'svc-theirs.pstn.twilio.com'],
    ],
  )
  const numbers = await referee.assertSame(
    () => carrier.numbers(key),
    () => sdk.incomingPhoneNumbers.list({ pageSize: 100 }),
  )
  assert.deepEqual([numbers.ours.length, numbers.theirs.length], [2, 2])
  fake.longestPage = 1000
})

test('the SDK makes credentials and sends texts on the fake, by the requests that ours makes', async () => {
  const account = fake.account('+14155550103')
  const { login } = account
  const { sdk } = sdkOf(fake, login)
  const made = await referee.assertSame(
    () => carrier.makeCredentialList(login, 'svc voice.example'),
    () => sdk.sip.credentialLists.create({ friendlyName: 'svc voice.example' }),
  )
  const apart = [[made.ours.sid, made.theirs.sid]] as const
  const list = sdk.sip.credentialLists(made.theirs.sid)
  const credential = { username: 'svc', password: 'Twelve-letters-1' }
  await referee.assertSame(
    () => carrier.makeCredential(login, made.ours.sid, credential),
    () => list.credentials.create(credential),
    apart,
  )
  const credentials = await referee.assertSame(
    () => carrier.credentials(login, made.theirs.sid),
    () => list.credentials.list({ pageSize: 100 }),
  )
  assert.deepEqual(
    credentials.theirs.map(({ username }) => username),
    ['svc'],
  )
  const lists = await referee.assertSame(
    () => carrier.credentialLists(login),
    () => sdk.sip.credentialLists.list({ pageSize: 100 }),
  )
  assert.equal(lists.theirs.length, 2)
  const { sid } = account.addTrunk('svc voice.example')
  const opened = sdk.trunking.v1.trunks(sid).credentialsLists
  await referee.assertSame(
    () => carrier.addCredentialList(login, sid, made.ours.sid),
    () => opened.create({ credentialListSid: made.theirs.sid }),
    apart,
  )
  const opening = await referee.assertSame(
    () => carrier.trunkCredentialLists(login, sid),
    () => opened.list({ pageSize: 100 }),
  )
  assert.equal(opening.theirs.length, 2)

  const text = { to: '+14155550199', from: '+14155550103', body: 'Your code is 123456' }
  const sent = await referee.assertSame(
    () => carrier.sendText(login, text),
    () => sdk.messages.create(text),
  )
  assert.deepEqual([sent.theirs.status, sent.theirs.body], ['queued', text.body])
  const page = await referee.assertSame(
    () => carrier.open(login),
    () => sdk.incomingPhoneNumbers.page({ pageSize: 1 }),
  )
  assert.equal(page.theirs.instances.length, 1)
})
