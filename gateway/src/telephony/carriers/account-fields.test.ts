import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const carrier = await CarrierFake.start()
const deployment = await startDeployment(carrier.settings)
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await carrier.stop()
})

const peer = { username: 'acme', password: 'a password of the peer', addresses: ['8.8.8.8', '9.9.9.0/24'] }

async function newOrg() {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  return { org, client, put: (body: unknown) => client.put('/v1/carrier', body) }
}

test('without a kind the fields say it (ND-10)', async () => {
  const { put } = await newOrg()
  refused(await put({}), 422, 'kind: is required if there is no account_sid, username or phone_number_id')
  refused(
    await put({ label: 'x' }),
    422,
    'kind: is required if there is no account_sid, username or phone_number_id',
  )
  refused(
    await put({ account_sid: 'AC1', username: 'acme' }),
    422,
    'kind: is required if the fields are of apicarrier and sip',
  )
  refused(
    await put({ account_sid: 'AC1', addresses: [], phone_number_id: '1' }),
    422,
    'kind: is required if the fields are of apicarrier and sip and msgapp',
  )
  refused(
    await put({ kind: 'pigeon', username: 'acme' }),
    400,
    'kind: must be one of apicarrier, sip, msgapp',
  )
  assert.equal(done(await put({ ...peer, kind: 'sip', account_sid: 'AC1' })).kind, 'sip')
})

test('what an account of its kind needs is 422 when it is missing, and anything else unknown is ignored (N-512, T-31, ND-01, ND-10)', async () => {
  const { client, put } = await newOrg()
  const { login } = carrier.account()
  refused(await put({ account_sid: login.account_sid, secret: 'x' }), 422, 'user: is required')
  refused(await put({ account_sid: login.account_sid, user: 'x' }), 422, 'secret: is required')
  refused(await put({ kind: 'apicarrier', user: 'x', secret: 'y' }), 422, 'account_sid: is required')
  refused(await put({ username: 'acme', addresses: ['8.8.8.8'] }), 422, 'password: is required')
  refused(await put({ username: 'acme', password: 'x' }), 422, 'addresses: is required')
  refused(await put({ addresses: ['8.8.8.8'] }), 422, 'username: is required')
  refused(await put({ ...peer, addresses: [] }), 400, 'addresses: name at least one address')
  refused(await put({ phone_number_id: '1' }), 422, 'access_token: is required')
  refused(await put({ kind: 'msgapp', access_token: 'x' }), 422, 'phone_number_id: is required')
  refused(await put({ ...peer, password: 7 }), 422, 'password: must be a string')
  refused(await put({ ...peer, addresses: '8.8.8.8' }), 422, 'addresses: must be a list')
  refused(await put({ ...peer, addresses: [8] }), 422, 'addresses.0: must be a string')
  refused(await put([]), 422, 'body: must be a JSON object')
  refused(await put('acme'), 422, 'body: must be a JSON object')
  const unreadable = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{' }
  refused(await client.raw('/v1/carrier', unreadable), 422, 'body: must be a JSON object')
  refused(await put({ ...login, user: 'a:b' }), 400, 'user: holds a colon, which no user of the carrier does')
  refused(await put({ ...login, secret: '' }), 400, 'secret: must be one line of 1 to 1000 characters')
  refused(await put({ ...login, secret: 'a\nb' }), 400, 'secret: must be one line of 1 to 1000 characters')
  refused(await put({ ...login, account_sid: '../x' }), 400, 'account_sid: is not the id of an account')
  refused(await put({ ...peer, username: 'a b' }), 400, 'username: is not the id of an account')
  refused(await put({ ...peer, label: '' }), 400, 'a label is one line of 1 to 100 characters')
  done(await put({ ...peer, colour: 'blue' }))
})

test('one bad address keeps nothing (N-128, N-129, N-512, T-35, ND-16)', async () => {
  const { client, put } = await newOrg()
  refused(
    await put({ ...peer, addresses: ['8.8.8.8', '192.168.0.0/24'] }),
    400,
    'addresses: 192.168.0.0/24 is not public: it is private',
  )
  refused(await put({ ...peer, addresses: ['8.8.8.0/23'] }), 400, 'addresses: 8.8.8.0/23 is wider than a /24')
  assert.deepEqual(done(await client.get('/v1/carriers')), { carriers: [] })
  const { networks } = done(await deployment.operator.get('/v1/ops/networks'))
  assert.equal(JSON.stringify(networks).includes('192.168'), false)
})

test('half of an outbound pair is refused (N-137, N-512, ND-18)', async () => {
  const { org, put } = await newOrg()
  const alone = 'outbound_username is of no use without outbound_password: send both or neither'
  const reverse = 'outbound_password is of no use without outbound_username: send both or neither'
  refused(await put({ ...peer, outbound_username: 'out' }), 400, alone)
  refused(await put({ ...peer, outbound_password: 'out' }), 400, reverse)
  refused(await put({ ...peer, outbound_username: 'out', outbound_password: null }), 400, alone)
  done(await put({ ...peer, outbound_username: 'out', outbound_password: 'pass' }))
  refused(await put({ username: 'acme', outbound_username: 'other' }), 400, alone)
  refused(await put({ username: 'acme', outbound_password: 'other' }), 400, reverse)
  const kept = await deployment.gateway.services.carrierAccounts.opened(org.id, 'acme')
  assert.equal(kept?.kind === 'sip' && kept.outbound_username, 'out')
})

test('an outbound host is a name or a public address, with or without a port, and a transport is one of three (N-138, ND-18)', async () => {
  const { put } = await newOrg()
  const sentence = 'outbound_host: must be a host name or a public IPv4 address, with or without :port'
  for (const outbound_host of [
    '',
    'sip:peer.example',
    'https://peer.example',
    'peer.example/',
    'peer_example.com',
    'peer.example:0',
    'peer.example:65536',
    'peer.example:',
    'peer.example:05060',
    'peer.example.',
    '.example',
    'peer..example',
    'localhost',
    '127.0.0.1',
    '10.0.0.1:5060',
    '203.0.113.7',
    '127.1',
    '0x7f.0.0.1',
    'peer.0x7f',
    '2130706433',
    '8.8.8.08',
    '[::1]',
    '::1',
    'user@peer.example',
    'peer .example',
    'пример.рф',
    `${'a'.repeat(64)}.example`,
  ])
    refused(await put({ ...peer, outbound_host }), 400, sentence)
  for (const outbound_host of [
    'peer.example',
    '8.8.8.8',
    '8.8.8.8:5060',
    'sip-1.peer.example:65535',
    'xn--e1afmkfd.xn--p1ai',
  ])
    done(await put({ ...peer, outbound_host }))
  refused(
    await put({ ...peer, outbound_transport: 'sctp' }),
    400,
    'outbound_transport: must be one of udp, tcp, tls',
  )
  for (const outbound_transport of ['udp', 'tcp', 'tls', null])
    done(await put({ ...peer, outbound_transport }))
})

test('a host that the operator lifted may be private (ND-18)', async () => {
  const lifted = await deployment.another({ SVC_PRIVATE_HOSTS: 'pbx, 10.0.0.5' })
  const { client } = await (await lifted.newOrg()).person('admin')
  for (const outbound_host of ['pbx:5060', '10.0.0.5'])
    done(await client.put('/v1/carrier', { ...peer, outbound_host }))
  assert.equal((await client.put('/v1/carrier', { ...peer, outbound_host: '10.0.0.6' })).status, 400)
})

test('a PBX in a private network that the operator names is a trunk both ways, once that network is approved', async () => {
  const near = await deployment.another({ SVC_PRIVATE_NETWORKS: '10.1.0.0/16, 192.168.7.9' })
  const org = await near.newOrg()
  const { client } = await org.person('admin')
  const pbx = { ...peer, addresses: ['10.1.2.0/24', '192.168.7.9'], outbound_host: '10.1.2.3:5080' }
  const { networks, sip } = done(await client.put('/v1/carrier', pbx))
  assert.deepEqual(networks, [
    { network: '10.1.2.0/24', state: 'waiting' },
    { network: '192.168.7.9', state: 'waiting' },
  ])
  assert.equal(sip.outbound_host, '10.1.2.3:5080')
  refused(
    await client.put('/v1/carrier', { ...pbx, addresses: ['10.2.0.0/24'] }),
    400,
    'addresses: 10.2.0.0/24 is not public: it is private',
  )
  refused(
    await client.put('/v1/carrier', { ...pbx, addresses: ['192.168.7.0/24'] }),
    400,
    'addresses: 192.168.7.0/24 is not public: it is private',
  )
  assert.equal((await client.put('/v1/carrier', { ...pbx, outbound_host: '10.2.0.1' })).status, 400)
  const { client: other } = await (await deployment.newOrg()).person('admin')
  assert.equal((await other.put('/v1/carrier', pbx)).status, 400)
})
