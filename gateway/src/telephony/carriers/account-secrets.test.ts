import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
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
const { sql } = deployment

const peer = { username: 'acme', password: 'a password of the peer', addresses: ['8.8.8.8', '9.9.9.0/24'] }

async function newOrg() {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  return { org, client, put: (body: unknown) => client.put('/v1/carrier', body) }
}

const opened = (org: TestOrg, account: string) =>
  deployment.gateway.services.carrierAccounts.opened(org.id, account)

test('a forgotten account is gone, with every secret but what admits its numbers (N-116, N-117, T-50, ND-03, ND-14)', async () => {
  const { org, client, put } = await newOrg()
  const { login, sid } = carrier.account()
  done(await put(login))
  done(await put({ ...peer, outbound_host: 'a.example', outbound_username: 'o', outbound_password: 'p' }))
  const living = (number: string, account: string) =>
    sql(
      `insert into numbers (number, org, env, agent, channel, origin, label, managed, account, created_at)
       values ($1, $2, 'production', 'desk', 'phone', 'imported', $1, false, $3, now())`,
      [number, org.id, account],
    )
  await living('+14155550001', sid)
  await living('+14155550002', 'acme')
  for (const account of [sid, 'acme']) {
    const forgotten = await client.delete(`/v1/carrier?account=${account}`)
    assert.deepEqual([forgotten.status, forgotten.text], [204, ''])
    refused(
      await client.get(`/v1/carrier?account=${account}`),
      404,
      `this org holds no carrier account ${account}`,
    )
    refused(
      await client.delete(`/v1/carrier?account=${account}`),
      404,
      `this org holds no carrier account ${account}`,
    )
  }
  assert.deepEqual(done(await client.get('/v1/carriers')), { carriers: [] })
  const { rows } = await sql('select number from numbers where org = $1 order by number', [org.id])
  assert.deepEqual(
    rows.map(({ number }) => number),
    ['+14155550001', '+14155550002'],
  )
  assert.deepEqual(await opened(org, sid), {
    account: sid,
    label: sid,
    forgotten: true,
    kind: 'apicarrier',
    account_sid: sid,
    user: '',
    secret: '',
  })
  assert.deepEqual(await opened(org, 'acme'), {
    account: 'acme',
    label: 'acme',
    forgotten: true,
    kind: 'sip',
    username: 'acme',
    password: peer.password,
    networks: peer.addresses,
  })

  refused(await put({ username: 'acme', addresses: ['1.1.1.1'] }), 422, 'password: is required')
  refused(await put({ ...login, account_sid: 'acme' }), 409, 'acme is held as sip: an account keeps its kind')
  deployment.clock.forward(120_000)
  await deployment.gateway.services.carrierAccounts.deleteExpired()
  assert.equal((await opened(org, 'acme'))?.forgotten, true)
  await sql('delete from numbers where org = $1 and account = $2', [org.id, 'acme'])
  await deployment.gateway.services.carrierAccounts.deleteExpired()
  assert.equal(await opened(org, 'acme'), undefined)
  assert.equal((await opened(org, sid))?.forgotten, true)
  done(await put(login))
  assert.equal((await opened(org, sid))?.forgotten, false)
})

test('the endpoints need a key with the scope numbers, which no token of an org itself can hold (N-105, N-107, N-108, N-109, N-398, T-28, T-29, ND-06)', async () => {
  const { org, client } = await newOrg()
  const paths = ['/v1/carrier', '/v1/carriers', '/v1/carriers/catalog', '/v1/carrier/outbound']
  const token = (await client.post('/v1/keys', { label: 'ci', env: 'sandbox' })).body.key
  const qa = await org.person('qa')
  for (const path of paths) {
    assert.equal((await deployment.anonymous.get(path)).status, 401)
    refused(await deployment.anonymous.as(token).get(path), 403, /^this key does not open numbers: it opens /)
    refused(await qa.client.get(path), 403, /^this key does not open numbers: it opens /)
  }
  assert.equal(
    (await client.post('/v1/keys', { label: 'ci', env: 'sandbox', scopes: ['numbers'] })).status,
    400,
  )
  const made = await org.serverToken('production', { scopes: ['numbers'] })
  assert.deepEqual(done(await made.client.get('/v1/carriers')), { carriers: [] })
  assert.deepEqual(
    [done(await client.get('/v1/whoami')).env, done(await made.client.get('/v1/whoami')).env],
    ['sandbox', 'production'],
  )
  assert.match(made.key, /^svc_live_/)
})

test('no secret of an account is in an answer, in a refusal, in the log or in a table in the clear (N-012, N-013, N-126, T-30)', async () => {
  const { org, client, put } = await newOrg()
  const account = carrier.account()
  const key = account.newKey()
  const message = messages.addNumber('+14155550199')
  const secrets = [
    key.secret,
    key.user,
    Buffer.from(`${key.user}:${key.secret}`).toString('base64'),
    message.access_token,
    'unique-sip-password-81',
    'unique-outbound-password-82',
    'unique-outbound-user-83',
  ]
  const answers: string[] = []
  const said = async (asked: Promise<{ text: string }>) => void answers.push((await asked).text)
  await said(put(key))
  await said(put(message))
  await said(
    put({
      ...peer,
      password: 'unique-sip-password-81',
      outbound_username: 'unique-outbound-user-83',
      outbound_password: 'unique-outbound-password-82',
    }),
  )
  for (const echo of [
    { status: 401, message: `no ${key.secret}` },
    { status: 503, message: `no ${Buffer.from(`${key.user}:${key.secret}`).toString('base64')}` },
    'breaks',
  ] as const) {
    carrier.fault = () => echo
    await said(put({ account_sid: key.account_sid, secret: key.secret }))
  }
  messages.fault = () => ({ status: 400, message: `bad ${message.access_token}` })
  await said(put({ phone_number_id: message.phone_number_id, access_token: message.access_token }))
  await said(put({ ...peer, outbound_password: 'unique-outbound-password-82' }))
  await said(client.get('/v1/carriers'))
  await said(client.get('/v1/carrier'))
  await said(client.get('/v1/carrier?account=acme'))
  await said(deployment.operator.get('/v1/ops/networks'))
  const { rows } = await sql('select t.*, sealed::text as bytes from carrier_accounts t where org = $1', [
    org.id,
  ])
  assert.equal(rows.length, 3)
  const dump = JSON.stringify(rows) + rows.map(({ sealed }) => (sealed as Buffer).toString('latin1')).join()
  for (const secret of secrets)
    for (const [where, text] of Object.entries({ answers: answers.join(), log: deployment.log(), dump }))
      assert.equal(text.includes(secret), false, `${secret} is in the ${where}`)
})

test('a password goes to no other address, port or transport than it was given for (ND-63)', async () => {
  const { org, put } = await newOrg()
  const again = (secret: string) =>
    `${secret}: send it again: it was given for another address, port, transport or CA`
  const own = { outbound_username: 'mine', outbound_password: 'chosen by the thief' }
  const cleared = { outbound_username: null, outbound_password: null }
  done(await put(peer))
  refused(await put({ username: 'acme', outbound_host: 'evil.example' }), 400, again('password'))
  done(await put({ ...peer, outbound_host: 'a.example:5061', outbound_transport: 'tls' }))
  const kept = await opened(org, 'acme')
  for (const change of [
    { outbound_host: 'evil.example' },
    { outbound_host: 'a.example' },
    { outbound_host: 'a.example:5062' },
    { outbound_transport: 'udp' },
    { outbound_transport: null },
    { outbound_host: 'evil.example', ...cleared },
  ])
    refused(await put({ username: 'acme', ...change }), 400, again('password'))
  assert.deepEqual(await opened(org, 'acme'), kept)
  done(await put({ username: 'acme', outbound_host: 'A.example:5061', label: 'Ours' }))

  // in two steps: a host with a password of the thief's own, which is then taken away
  done(await put({ username: 'acme', outbound_host: 'evil.example', ...own }))
  refused(await put({ username: 'acme', ...cleared }), 400, again('password'))
  refused(await put({ username: 'acme', outbound_host: 'b.example' }), 400, again('outbound_password'))
  const between = { username: 'acme', outbound_host: null, ...cleared }
  done(await put(between))
  refused(await put({ username: 'acme', outbound_host: 'evil.example' }), 400, again('password'))
})

test('of a new host and a new password sent at once by two, neither meets the other’s (ND-63)', async () => {
  const { org, put } = await newOrg()
  done(await put({ ...peer, outbound_host: 'a.example' }))
  const [moved] = await Promise.all([
    put({ username: 'acme', outbound_host: 'evil.example' }),
    put({ username: 'acme', password: 'the next' }),
  ])
  assert.equal(moved.status, 400)
  const account = await opened(org, 'acme')
  assert.equal(account?.kind === 'sip' && account.outbound_host, 'a.example')
})
