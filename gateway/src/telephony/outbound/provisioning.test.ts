import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import type { CarrierAccountFake } from '../../../testing/telephony/carrier-fake-account.ts'
import { saidWith, CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const carrier = await CarrierFake.start()
const deployment = await startDeployment({
  ...carrier.settings,
  SVC_DOMAIN: 'voice.example',
  SVC_SANDBOX_SIP_DOMAIN: 'sandbox.voice.example',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await carrier.stop()
})
beforeEach(() => {
  carrier.fault = () => undefined
  carrier.requests.length = 0
  carrier.revive()
})
const { sql, gateway } = deployment
const { outboundProvisioning } = gateway.services

const at = '/v1/carrier/outbound'
const origin = 'sip:voice.example:5060;transport=udp'

const hostOf = (sid: string) =>
  `svc-${createHash('sha256').update(`voice.example/${sid}`).digest('hex').slice(0, 12)}.pstn.twilio.com`

async function newOrg(account = carrier.account()) {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  done(await client.put('/v1/carrier', account.login))
  carrier.requests.length = 0
  return { org, client, account }
}

const stepsOf = (org: { id: string }, account: CarrierAccountFake, verdict: string) => [
  `carrier trunk ${origin}: ${verdict}`,
  `termination host ${hostOf(account.sid)}: ${verdict}`,
  `credential list svc voice.example: ${verdict}`,
  `credential list svc voice.example on the trunk: ${verdict}`,
  `credential svc-${org.id}: ${verdict}`,
]

/** Everything at the carrier, without its ids. */
const standing = ({ trunks, credentialLists }: CarrierAccountFake) => ({
  trunks: trunks.map(({ friendly_name, domain_name, origination, credentialLists: lists }) => [
    friendly_name,
    domain_name,
    origination.map(({ sip_url }) => sip_url),
    lists.length,
  ]),
  lists: credentialLists.map(({ friendly_name, credentials }) => [
    friendly_name,
    credentials.map(({ username }) => username),
  ]),
})

const whole = (org: { id: string }, account: CarrierAccountFake) => ({
  trunks: [['svc voice.example', hostOf(account.sid), [origin], 1]],
  lists: [['svc voice.example', [`svc-${org.id}`]]],
})

const posted = async (client: Client, query = '') => done(await client.post(at + query))

test('one POST makes the termination host, the credential list and the org’s credential, and a second writes nothing (N-220, N-221, N-222, N-223, N-224, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  const answer = { kind: 'apicarrier', account: account.sid, host: hostOf(account.sid), dry_run: false }
  assert.deepEqual(await posted(client), { ...answer, steps: stepsOf(org, account, 'done') })
  assert.deepEqual(standing(account), whole(org, account))
  assert.deepEqual(account.trunks[0]?.credentialLists, [account.credentialLists[0]?.sid])
  const password = account.credentialLists[0]?.credentials[0]?.password ?? ''
  assert.match(password, /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9]{32}$/)
  assert.deepEqual(await outboundProvisioning.trunkOf(org.id, account.sid), {
    hostname: hostOf(account.sid),
    transport: 'udp',
    auth_username: `svc-${org.id}`,
    auth_password: password,
  })

  const written = carrier.writes.length
  assert.deepEqual(await posted(client, `?account=${account.sid}`), {
    ...answer,
    steps: stepsOf(org, account, 'stands'),
  })
  assert.equal(carrier.writes.length, written)
})

test('it is on production’s trunk for both environments (N-221, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  account.addTrunk('by hand', 'sip:sandbox.voice.example:5060;transport=udp')
  const ours = account.addTrunk('by hand too', origin)
  await posted(client.in('sandbox'))
  assert.deepEqual((await posted(client.in('production'))).steps, stepsOf(org, account, 'stands'))
  assert.deepEqual(
    account.trunks.map(({ domain_name }) => domain_name),
    [null, hostOf(account.sid)],
  )
  assert.equal(ours.friendly_name, 'by hand too')
})

test('two orgs on one account share the host and the list and have a credential each (N-221, N-223, ND-11, ND-46)', async () => {
  const one = await newOrg()
  const other = await newOrg(one.account)
  await posted(one.client)
  const { steps } = await posted(other.client)
  assert.deepEqual(steps, [
    ...stepsOf(other.org, one.account, 'stands').slice(0, 4),
    `credential svc-${other.org.id}: done`,
  ])
  assert.deepEqual(standing(one.account).lists, [
    ['svc voice.example', [`svc-${one.org.id}`, `svc-${other.org.id}`]],
  ])
  const [first, second] = one.account.credentialLists[0]?.credentials ?? []
  assert.notEqual(first?.password, second?.password)
})

test('requests at the same time, on two gateways and for two orgs, make nothing twice (N-220, ND-46)', async () => {
  const one = await newOrg()
  const other = await newOrg(one.account)
  const second = await deployment.another()
  const { key } = await one.org.person('admin')
  const clients = [one.client, one.client, second.anonymous.as(key), other.client]
  await Promise.all(clients.map((client) => posted(client)))
  assert.deepEqual(standing(one.account).trunks, whole(one.org, one.account).trunks)
  const [list, ...more] = standing(one.account).lists
  assert.deepEqual([list?.[1]?.length, more], [2, []])
})

test('a dry run reports what it would do and writes nothing (N-230, ND-01, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  const told = { kind: 'apicarrier', account: account.sid, host: hostOf(account.sid), dry_run: true }
  for (const word of ['true', '1'])
    assert.deepEqual(await posted(client, `?dry_run=${word}`), {
      ...told,
      steps: stepsOf(org, account, 'to do'),
    })
  assert.deepEqual([carrier.writes, standing(account)], [[], { trunks: [], lists: [] }])
  const { rows } = await sql('select from outbound_credentials where org = $1', [org.id])
  assert.equal(rows.length, 0)
  refused(await client.post(`${at}?dry_run=perhaps`), 422, 'dry_run: must be true or false')
  await posted(client, '?dry_run=false')
  assert.deepEqual((await posted(client, '?dry_run=1')).steps, stepsOf(org, account, 'stands'))
})

test('broken off after any write and repeated, everything is made once and the password kept is the one the carrier has (N-220, N-224, N-225, T-55, ND-46)', async () => {
  const writes = 6
  for (let survived = 1; survived <= writes; survived += 1) {
    const { org, client, account } = await newOrg()
    carrier.dieAfter(survived)
    refused(await client.post(at), 502, 'the carrier did not answer')
    carrier.revive()
    const { steps } = await posted(client)
    assert.equal(steps.length, 5)
    assert.deepEqual(standing(account), whole(org, account), `after ${survived} writes`)
    assert.equal(carrier.writes.length, writes, `after ${survived} writes`)
    const trunk = await outboundProvisioning.trunkOf(org.id, account.sid)
    assert.equal(trunk?.auth_password, account.credentialLists[0]?.credentials[0]?.password)
  }
})

test('the password is kept before the carrier gets it (N-225, T-55, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  const kept: unknown[] = []
  carrier.fault = ({ form }) => {
    if (form['Password'] === undefined) return undefined
    kept.push(form['Password'])
    return 'breaks'
  }
  refused(await client.post(at), 502, 'the carrier did not answer')
  const { rows } = await sql('select provisioned_at from outbound_credentials where org = $1', [org.id])
  assert.deepEqual(rows, [{ provisioned_at: null }])
  assert.equal(await outboundProvisioning.trunkOf(org.id, account.sid), undefined)
  carrier.fault = () => undefined
  await posted(client)
  assert.deepEqual(
    account.credentialLists[0]?.credentials.map(({ password }) => password),
    kept,
  )
})

test('a credential whose password is not kept is 409 naming it, and nothing is made (N-226, N-227, N-515, T-54, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  await posted(client)
  await sql('delete from outbound_credentials where org = $1', [org.id])
  const [before, written] = [standing(account), carrier.writes.length]
  const sentence = `the carrier has the credential svc-${org.id} and its password is not kept here: delete it at the carrier, then ask again`
  refused(await client.post(at), 409, sentence)
  refused(await client.post(`${at}?dry_run=true`), 409, sentence)
  assert.deepEqual([standing(account), carrier.writes.length], [before, written])
  const { rows } = await sql('select from outbound_credentials where org = $1', [org.id])
  assert.equal(rows.length, 0)
  account.credentialLists[0]?.credentials.pop()
  assert.equal((await posted(client)).steps[4], `credential svc-${org.id}: done`)
})

test('a credential that went at the carrier is made again with the same password (N-223, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  await posted(client)
  const lost = account.credentialLists[0]?.credentials.pop()
  await posted(client)
  assert.equal(account.credentialLists[0]?.credentials[0]?.password, lost?.password)
  assert.equal((await outboundProvisioning.trunkOf(org.id, account.sid))?.auth_password, lost?.password)
})

test('an account that was forgotten and added again dials with what was made before (N-226, ND-14, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  await posted(client)
  assert.equal((await client.delete('/v1/carrier')).status, 204)
  assert.equal(await outboundProvisioning.trunkOf(org.id, account.sid), undefined)
  done(await client.put('/v1/carrier', account.login))
  assert.deepEqual((await posted(client)).steps, stepsOf(org, account, 'stands'))
})

test('a termination host that the org set itself is not replaced (ND-46)', async () => {
  const { client, account } = await newOrg()
  const trunk = account.addTrunk('PBX', origin)
  trunk.domain_name = 'acme.pstn.twilio.com'
  refused(
    await client.post(at),
    409,
    'the trunk PBX has the termination host acme.pstn.twilio.com: take it off at the carrier first',
  )
  assert.deepEqual(carrier.writes, [])
  trunk.domain_name = 'svc-0123456789ab.pstn.twilio.com' // made under another name of this deployment
  await posted(client)
  assert.equal(trunk.domain_name, hostOf(account.sid))
})

test('a SIP peer needs nothing made: it is dialled at its own host, with its own pair or the outbound one (N-135, N-136, N-138, N-228, N-229, ND-18, ND-46)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const peer = { username: 'acme', password: 'word of acme', addresses: ['8.8.8.8'] }
  done(await client.put('/v1/carrier', peer))
  refused(await client.post(at), 409, 'acme cannot be dialled: say its outbound_host at PUT /v1/carrier')
  assert.equal(await outboundProvisioning.trunkOf(org.id, 'acme'), undefined)
  done(await client.put('/v1/carrier', { ...peer, outbound_host: 'sip.acme.example:5061' }))
  assert.deepEqual(await posted(client, '?dry_run=1'), {
    kind: 'sip',
    account: 'acme',
    host: 'sip.acme.example:5061',
    steps: [],
    dry_run: true,
  })
  const dialled = { hostname: 'sip.acme.example:5061', auth_username: 'acme', auth_password: 'word of acme' }
  assert.deepEqual(await outboundProvisioning.trunkOf(org.id, 'acme'), { ...dialled, transport: 'udp' })
  const outbound = { outbound_transport: 'tls', outbound_username: 'out', outbound_password: 'another word' }
  done(await client.put('/v1/carrier', { username: 'acme', ...outbound }))
  assert.deepEqual(await outboundProvisioning.trunkOf(org.id, 'acme'), {
    ...dialled,
    transport: 'tls',
    auth_username: 'out',
    auth_password: 'another word',
  })
  assert.deepEqual(carrier.requests, [])
})

test('the account is named if there are several, and a messaging account is none here (N-514, N-515, ND-14, ND-46)', async () => {
  const { org, client, account } = await newOrg()
  refused(await client.post(`${at}?account=AC0`), 404, 'this org holds no carrier account AC0')
  const peer = { username: 'acme', password: 'word', addresses: ['8.8.8.8'] }
  done(await client.put('/v1/carrier', peer))
  refused(
    await client.post(at),
    409,
    `this org holds several accounts: name one in account, of ${account.sid} · acme`,
  )
  await sql(
    `insert into carrier_accounts (org, account, kind, label, sealed, created_at)
     values ($1, '1555', 'msgapp', 'Desk', '', now())`,
    [org.id],
  )
  refused(await client.post(`${at}?account=1555`), 404, 'this org holds no carrier account 1555')
  const bare = await (await deployment.newOrg()).person('admin')
  refused(await bare.client.post(at), 404, 'this org holds no carrier account: add one with PUT /v1/carrier')
})

test('without a domain it is 503, and a carrier that refuses is 502 in its own words (N-204, N-520, N-521, ND-46)', async () => {
  const { client, account } = await newOrg()
  carrier.fault = ({ path }) =>
    path.endsWith('/SIP/CredentialLists.json') ? { status: 500, message: 'Lists are resting' } : undefined
  refused(await client.post(at), 502, `the carrier says: ${saidWith('Lists are resting')}`)
  carrier.fault = () => undefined
  await using nameless = await startDeployment({ ...carrier.settings, SVC_SIP_DOMAIN: 'sip.example' })
  const admin = await (await nameless.newOrg()).person('admin')
  done(await admin.client.put('/v1/carrier', account.login))
  refused(
    await admin.client.post(at),
    503,
    'this deployment has no name to be called back at: the operator sets SVC_DOMAIN',
  )
})

test('no password of a credential is in an answer, in the log or in a table in the clear (N-225, T-30)', async () => {
  const { org, client, account } = await newOrg()
  const answers = [(await client.post(at)).text, (await client.post(at)).text, (await client.get(at)).text]
  const password = account.credentialLists[0]?.credentials[0]?.password ?? assert.fail()
  const { rows } = await sql('select * from outbound_credentials where org = $1', [org.id])
  assert.equal(rows.length, 1)
  const dump = JSON.stringify(rows) + (rows[0].password as Buffer).toString('latin1')
  for (const text of [...answers, deployment.log(), dump]) assert.equal(text.includes(password), false)
})
