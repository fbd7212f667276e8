import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { saidWith, CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { MessagingFake } from '../../../testing/messaging/messaging-fake.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const carrier = await CarrierFake.start()
const messages = await MessagingFake.start()
const deployment = await startDeployment({ ...carrier.settings, ...messages.settings })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await Promise.all([carrier.stop(), messages.stop()])
})
beforeEach(() => {
  carrier.fault = () => undefined
  carrier.requests.length = 0
  messages.fault = () => undefined
  messages.requests.length = 0
})

const published = deployment.gateway.services.carrierCatalogue.networksOf('apicarrier')
const peer = { username: 'acme', password: 'a password of the peer', addresses: ['8.8.8.8', '9.9.9.0/24'] }
/** A SIP peer's, as long as nothing is said of them. */
const usual = {
  dial_extensions: [],
  register: false,
  registration: null,
  auth: 'digest',
  outbound_host: null,
  outbound_transport: 'udp',
  encryption: null,
  ca_certificates: [],
  client_certificate: null,
  from_domain: null,
  refer_to: 'sip',
  identity: 'none',
  number_form: 'e164',
  country_code: null,
  trunk_prefix: null,
  international_prefix: null,
}

async function newOrg() {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  return { org, client, put: (body: unknown) => client.put('/v1/carrier', body) }
}

const opened = (org: TestOrg, account: string) =>
  deployment.gateway.services.carrierAccounts.opened(org.id, account)

test('an account at the API carrier is added with either pair, opened once first, and shown without its secrets (N-002, N-014, N-015, N-018, N-110, N-112, N-122, ND-12, ND-15)', async () => {
  const { client, put } = await newOrg()
  const account = carrier.account()
  const shown = { kind: 'apicarrier', account: account.sid, label: 'Main line', networks: published }
  assert.deepEqual(done(await put({ ...account.login, label: ' Main line ' })), shown)
  assert.deepEqual(
    carrier.requests.map(({ method, path, query, user }) => [method, path, query, user]),
    [
      [
        'GET',
        `/2010-04-01/Accounts/${account.sid}/IncomingPhoneNumbers.json`,
        { PageSize: '1' },
        account.sid,
      ],
    ],
  )
  assert.deepEqual(done(await client.get('/v1/carrier')), shown)
  const key = account.newKey()
  assert.deepEqual(done(await put(key)), shown)
  assert.equal(carrier.requests.at(-1)?.user, key.user)
})

test('a SIP peer is added with all its fields, each network waiting (N-016, N-018, N-019, N-056, N-127, N-128, N-138, ND-15, ND-16)', async () => {
  const { org, put } = await newOrg()
  const outbound = {
    outbound_host: 'SIP.peer.example:5061',
    outbound_transport: 'tls',
    outbound_username: 'out',
    outbound_password: 'another password',
  }
  assert.deepEqual(
    done(await put({ ...peer, ...outbound, addresses: ['8.8.8.8/32', '9.9.9.0/24', '8.8.8.8'] })),
    {
      kind: 'sip',
      account: 'acme',
      label: 'acme',
      networks: [
        { network: '8.8.8.8', state: 'waiting' },
        { network: '9.9.9.0/24', state: 'waiting' },
      ],
      sip: { ...usual, outbound_host: 'sip.peer.example:5061', outbound_transport: 'tls' },
    },
  )
  assert.deepEqual(carrier.requests, [])
  assert.deepEqual(await opened(org, 'acme'), {
    account: 'acme',
    label: 'acme',
    forgotten: false,
    kind: 'sip',
    username: 'acme',
    password: peer.password,
    networks: ['8.8.8.8', '9.9.9.0/24'],
    ...outbound,
    outbound_host: 'sip.peer.example:5061',
  })
})

test('a messaging number is asked of the platform first, whose name for it is the label (N-001, N-017, N-124, ND-15, ND-21)', async () => {
  const { put } = await newOrg()
  const { phone_number_id, access_token } = messages.addNumber('+14155550123', 'Acme Desk')
  const shown = { kind: 'msgapp', account: phone_number_id, label: 'Acme Desk', networks: [] }
  assert.deepEqual(done(await put({ phone_number_id, access_token })), shown)
  assert.deepEqual(
    messages.requests.map(({ path, token }) => [path, token]),
    [[`/v26.0/${phone_number_id}`, access_token]],
  )
  assert.deepEqual(done(await put({ phone_number_id, label: 'Desk' })), { ...shown, label: 'Desk' })
  assert.equal(messages.requests.length, 2)
})

test('an id or token that the messaging platform does not open is 400 naming both, and nothing is kept (N-125, N-126, N-512, T-30, ND-21)', async () => {
  const { client, put } = await newOrg()
  const { phone_number_id, access_token } = messages.addNumber('+14155550124')
  refused(
    await put({ phone_number_id, access_token: 'EAAwrong' }),
    400,
    `the messaging platform does not open phone_number_id ${phone_number_id} to this access_token: Invalid OAuth access token - Cannot parse access token`,
  )
  refused(
    await put({ phone_number_id: '12345', access_token }),
    400,
    /^the messaging platform does not open phone_number_id 12345 to this access_token: Unsupported get request/,
  )
  messages.fault = () => ({ status: 500, message: 'An unknown error has occurred.' })
  refused(
    await put({ phone_number_id, access_token }),
    502,
    'the messaging platform says: An unknown error has occurred.',
  )
  messages.fault = () => 'breaks'
  refused(await put({ phone_number_id, access_token }), 502, 'the messaging platform did not answer')
  assert.deepEqual(done(await client.get('/v1/carriers')), { carriers: [] })
})

test('a pair that the carrier refuses is 400 and keeps nothing; whatever else it says is 502 (N-123, N-512, ND-20)', async () => {
  const { client, put } = await newOrg()
  const { login, sid } = carrier.account()
  refused(
    await put({ ...login, secret: 'wrong' }),
    400,
    `the carrier does not open account_sid ${sid} to this user and secret: ${saidWith('Authenticate', 20003)}`,
  )
  for (const status of [401, 403, 404]) {
    carrier.fault = () => ({ status, body: '' })
    refused(await put(login), 400, `the carrier does not open account_sid ${sid} to this user and secret`)
  }
  for (const status of [400, 429, 500, 503]) {
    carrier.fault = () => ({ status, message: 'Later' })
    refused(await put(login), 502, `the carrier says: ${saidWith('Later')}`)
  }
  carrier.fault = () => 'breaks'
  refused(await put(login), 502, 'the carrier did not answer')
  assert.deepEqual(done(await client.get('/v1/carriers')), { carriers: [] })
})

test('a PUT of an account that is held replaces the fields sent, keeps the others and asks again first (N-011, N-111, T-38, ND-12)', async () => {
  const { org, client, put } = await newOrg()
  const account = carrier.account()
  done(await put({ ...account.login, label: 'Main' }))
  account.token = 'a new token of the account'
  refused(
    await put({ account_sid: account.sid, label: 'Other' }),
    400,
    `the carrier does not open account_sid ${account.sid} to this user and secret: ${saidWith('Authenticate', 20003)}`,
  )
  assert.equal((await opened(org, account.sid))?.label, 'Main')
  assert.equal(done(await put({ account_sid: account.sid, secret: account.token })).label, 'Main')
  assert.equal(carrier.requests.at(-1)?.secret, account.token)

  done(
    await put({ ...peer, outbound_host: 'a.example', outbound_username: 'out', outbound_password: 'pass' }),
  )
  done(await put({ username: 'acme', password: 'the next' }))
  assert.deepEqual(await opened(org, 'acme'), {
    account: 'acme',
    label: 'acme',
    forgotten: false,
    kind: 'sip',
    username: 'acme',
    password: 'the next',
    networks: peer.addresses,
    outbound_host: 'a.example',
    outbound_username: 'out',
    outbound_password: 'pass',
  })
  const cleared = { outbound_host: null, outbound_username: null, outbound_password: null }
  const cut = done(await put({ username: 'acme', addresses: ['9.9.9.0/24'], ...cleared }))
  assert.deepEqual(cut.networks, [{ network: '9.9.9.0/24', state: 'waiting' }])
  assert.deepEqual(Object.keys((await opened(org, 'acme')) ?? {}), [
    'account',
    'label',
    'forgotten',
    'kind',
    'username',
    'password',
    'networks',
  ])
  const { carriers } = done(await client.get('/v1/carriers'))
  assert.deepEqual(
    carriers.map((row: { account: string }) => row.account),
    [account.sid, 'acme'],
  )
})

test('of two PUTs at the same time neither loses what the other named (N-011, ND-12)', async () => {
  const { org, client, put } = await newOrg()
  const { login, sid } = carrier.account()
  const both = await Promise.all([put(login), put({ ...login, label: 'Named' })])
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.equal(done(await client.get('/v1/carriers')).carriers.length, 1)
  done(await put(peer))
  const dialled = {
    outbound_host: 'outbound-host.example',
    outbound_username: 'out',
    outbound_password: 'pass',
  }
  const fields = [dialled, { password: 'the next' }, { addresses: ['1.1.1.1'] }, { label: 'label.example' }]
  const hosts = fields.map((changed) => put({ username: 'acme', ...changed }))
  for (const answer of await Promise.all(hosts)) done(answer)
  const kept = await opened(org, 'acme')
  assert.deepEqual(kept, {
    account: 'acme',
    label: 'label.example',
    forgotten: false,
    kind: 'sip',
    username: 'acme',
    password: 'the next',
    networks: ['1.1.1.1'],
    ...dialled,
  })
  assert.equal((await opened(org, sid))?.label, 'Named')
})

test('GET names the accounts when there are several and none is named (N-112, N-113, N-114, N-115, N-514, N-515, ND-02, ND-14)', async () => {
  const { client, put } = await newOrg()
  const none = 'this org holds no carrier account: add one with PUT /v1/carrier'
  for (const path of ['/v1/carrier', '/v1/carrier?account=']) refused(await client.get(path), 404, none)
  refused(await client.delete('/v1/carrier'), 404, none)
  assert.deepEqual(done(await client.get('/v1/carriers')), { carriers: [] })
  done(await put(peer))
  assert.equal(done(await client.get('/v1/carrier')).account, 'acme')
  const { login, sid } = carrier.account()
  done(await put(login))
  const several = `this org holds several accounts: name one in account, of acme · ${sid}`
  refused(await client.get('/v1/carrier'), 409, several)
  refused(await client.delete('/v1/carrier'), 409, several)
  assert.equal(done(await client.get(`/v1/carrier?account=${sid}`)).kind, 'apicarrier')
  refused(await client.get('/v1/carrier?account=AC0'), 404, 'this org holds no carrier account AC0')
  refused(await client.delete('/v1/carrier?account=AC0'), 404, 'this org holds no carrier account AC0')
  const { carriers } = done(await client.get('/v1/carriers'))
  assert.deepEqual(
    carriers.map((row: object) => Object.keys(row)),
    [
      ['kind', 'account', 'label', 'networks', 'sip'],
      ['kind', 'account', 'label', 'networks'],
    ],
  )
})

test('an id is one account in an org, of one kind, and may be held by another org too (N-011, N-013, ND-11)', async () => {
  const [one, other] = [await newOrg(), await newOrg()]
  const { login, sid } = carrier.account()
  done(await one.put(login))
  refused(
    await one.put({ ...peer, username: sid }),
    409,
    `${sid} is held as apicarrier: an account keeps its kind`,
  )
  done(await other.put({ ...peer, username: sid }))
  done(await other.put({ ...peer, username: sid }))
  assert.deepEqual(done(await other.client.get('/v1/carriers')).carriers.length, 1)
  assert.equal(done(await one.client.get('/v1/carrier')).kind, 'apicarrier')
})

test('an account is seen from both environments (ND-13)', async () => {
  const { client, put } = await newOrg()
  done(await put(peer))
  assert.equal(done(await client.in('production').get('/v1/carrier')).account, 'acme')
  assert.equal(done(await client.in('sandbox').get('/v1/carrier')).account, 'acme')
})
