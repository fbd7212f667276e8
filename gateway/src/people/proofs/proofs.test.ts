import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { WebSocket } from 'ws'
import { refused, type Client } from '../../../testing/client.ts'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import {
  resetTokenTo,
  squattersPassword,
  startSquattingDeployment,
  victimsPassword,
} from '../../../testing/people/squatted-address.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startSquattingDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, sql, squat, prove, elsewhere } = deployment

const dead = 'this key opens nothing'
const statusOf = async (member: string) =>
  (await sql('select status from members where id = $1', [member])).rows[0]?.status
const signIn = (email: string, password: string, org?: string) =>
  elsewhere().post('/v1/login', { email, password, ...(org && { org }) })
const isDead = async (client: Client) => refused(await client.get('/v1/whoami'), 401, dead)

test('a key of a squatted address neither switches into the org of its real owner nor opens /v1/ops once they are operator (ID-73, ID-74)', async () => {
  const squatted = await squat()
  const org = await deployment.newOrg()
  const real = await prove(squatted.email, org)
  const made = await operator.put(`/v1/ops/orgs/${org.slug}/members/${real.member}/operator`, {
    operator: true,
  })
  assert.equal(made.status, 200, made.text)
  assert.equal((await real.client.get('/v1/ops/whoami')).status, 200)
  refused(await squatted.client.post('/v1/login/org', { org: org.slug }), 401, dead)
  refused(await squatted.client.get('/v1/ops/whoami'), 401, dead)
  await isDead(squatted.client)
})

test('with the proof every copy of the old key dies: code of a code, terminal, and what waits to be collected (ID-73, ID-85, ID-95)', async () => {
  const squatted = await squat()
  const codeOf = async (client: Client) => (await client.post('/v1/login/codes')).body.code as string
  const redeem = (code: string) => anonymous.post('/v1/login', { code })
  const pairingOf = async (client: Client) => {
    const { code } = (await anonymous.post('/v1/login/pairings', {})).body
    assert.equal((await client.post(`/v1/login/pairings/${code}`, {})).status, 200)
    return code as string
  }
  const copied = anonymous.as((await redeem(await codeOf(squatted.client))).body.key)
  const collected = await anonymous.get(`/v1/login/pairings/${await pairingOf(copied)}/key`)
  const terminal = anonymous.as(collected.body.key)
  const switched = anonymous.as((await terminal.post('/v1/login/org', { org: squatted.org.slug })).body.key)
  const [unusedCode, uncollected] = [await codeOf(copied), await pairingOf(squatted.client)]

  await prove(squatted.email, await deployment.newOrg())
  for (const client of [squatted.client, copied, terminal, switched]) await isDead(client)
  refused(await redeem(unusedCode), 404, 'that code is spent or was never made')
  refused(
    await anonymous.get(`/v1/login/pairings/${uncollected}/key`),
    404,
    'that word is spent or was never made',
  )
})

test("with the proof the squatter's password is gone and their seat has to be accepted again, which the real owner's password does (ID-73, ID-59)", async () => {
  const squatted = await squat()
  const org = await deployment.newOrg()
  await prove(squatted.email, org)
  for (const slug of [undefined, org.slug, squatted.org.slug])
    refused(
      await signIn(squatted.email, squattersPassword, slug),
      401,
      'nobody answers to that email and password',
    )
  assert.equal(await statusOf(squatted.member), 'invited')
  const { rows } = await sql(
    `select org, action from audit where target_id = $1 order by ordinal desc limit 1`,
    [squatted.member],
  )
  assert.deepEqual(rows, [{ org: squatted.org.id, action: 'member.reopened' }])
  assert.equal((await signIn(squatted.email, victimsPassword)).body.org, org.id)
  assert.equal(await statusOf(squatted.member), 'invited')
  const entered = await signIn(squatted.email, victimsPassword, squatted.org.slug)
  assert.deepEqual([entered.status, entered.body.subject], [200, squatted.member])
  assert.equal(await statusOf(squatted.member), 'active')
})

test('with the proof every link of the other rows that was handed out dies, and a mailed invitation stays (ID-73, ID-75)', async () => {
  const squatted = await squat()
  const org = await deployment.newOrg()
  const third = await deployment.mailedInvitation(squatted.email, await deployment.newOrg())
  await sql(
    `insert into invitations (digest, member, purpose, handed, proves_address, expires_at)
     select sha256(name::bytea), $1, purpose, true, true, now() + interval '1 day'
     from (values ('kept invitation', 'invitation'), ('kept reset', 'reset')) as kept (name, purpose)`,
    [squatted.member],
  )
  await prove(squatted.email, org)
  for (const token of ['kept%20invitation', 'kept%20reset'])
    refused(
      await anonymous.post(`/v1/invitations/${token}`, { password: squattersPassword }),
      404,
      'that link is spent or was never made',
    )
  assert.equal(
    (await anonymous.post(`/v1/invitations/${third.token}`, { password: victimsPassword })).status,
    200,
  )
})

test('sockets and event streams of the old key are closed on every gateway (ID-73, ID-87)', async () => {
  const squatted = await squat()
  const second = await deployment.another()
  const open = async ({ url }: { url: string }, client: Client) => {
    const stream = await EventReader.open(`${url}/v1/events`, { authorization: `Bearer ${squatted.key}` })
    assert.equal(stream.status, 200)
    const socket = (await client.open('/v1/apps')) as WebSocket
    const closed = new Promise<[number, string]>((resolve) =>
      socket.on('close', (code, reason) => resolve([code, String(reason)])),
    )
    return { stream, closed }
  }
  const opened = [
    await open(deployment, squatted.client),
    await open(second, second.anonymous.as(squatted.key)),
  ]
  await prove(squatted.email, await deployment.newOrg())
  for (const { stream, closed } of opened) {
    assert.deepEqual(await closed, [1008, dead])
    await until('the stream is closed', () => stream.isClosed, 5000)
  }
})

test("a self-service reset by the address's own mailbox proves it in the row it names and ends what a stranger held there (ID-73, ID-71)", async () => {
  const squatted = await squat()
  await elsewhere().post('/v1/login/reset', { email: squatted.email })
  const token = await resetTokenTo(deployment.mail, squatted.email)
  const accepted = await anonymous.post(`/v1/invitations/${token}`, {
    password: victimsPassword,
    keep_keys: true,
  })
  assert.deepEqual([accepted.status, accepted.body.member.id], [200, squatted.member])
  assert.equal(accepted.body.member.verified, true)
  await isDead(squatted.client)
  assert.equal((await anonymous.as(accepted.body.key).get('/v1/whoami')).status, 200)
  refused(await signIn(squatted.email, squattersPassword), 401, 'nobody answers to that email and password')
})

test("the org's own server tokens outlive the proof: a token names no person (ID-111)", async () => {
  const squatted = await squat()
  const made = await squatted.client.post('/v1/keys', { label: 'ci', env: 'sandbox' })
  await prove(squatted.email, await deployment.newOrg())
  const whoami = await anonymous.as(made.body.key).get('/v1/whoami')
  assert.deepEqual([whoami.status, whoami.body.org, whoami.body.email], [200, squatted.org.id, null])
})

test('a password that a proven person changes ends their other keys in every org, unless they ask to keep them (I-131, I-240, ID-73)', async () => {
  for (const keep_keys of [undefined, false, true]) {
    const [home, other] = [await deployment.newOrg(), await deployment.newOrg()]
    const ana = await home.person('qa')
    const there = await other.join(ana.email, 'qa')
    await elsewhere().post('/v1/login/reset', { email: ana.email })
    const token = await resetTokenTo(deployment.mail, ana.email)
    const accepted = await anonymous.post(`/v1/invitations/${token}`, {
      password: 'a new password',
      ...(keep_keys !== undefined && { keep_keys }),
    })
    assert.equal(accepted.status, 200, accepted.text)
    for (const { client } of [ana, there])
      if (keep_keys) assert.equal((await client.get('/v1/whoami')).status, 200)
      else await isDead(client)
    assert.equal((await anonymous.as(accepted.body.key).get('/v1/whoami')).status, 200)
    for (const { id } of [ana, there]) assert.equal(await statusOf(id), 'active')
  }
})

test('the flag of an operator opens nothing while their address is not proven, and is not given to such an address (ID-35, ID-37)', async () => {
  const squatted = await squat()
  const path = `/v1/ops/orgs/${squatted.org.slug}/members/${squatted.member}/operator`
  refused(
    await operator.put(path, { operator: true }),
    409,
    `${squatted.email} is not proven: ask its owner to reset the password by mail, or remove and invite them again`,
  )
  await sql('update members set operator = true where id = $1', [squatted.member])
  refused(await squatted.client.get('/v1/ops/whoami'), 403, "this door is the operator's")
  assert.equal((await squatted.client.get('/v1/whoami')).body.operator, false)
  const other = await deployment.newOrg()
  refused(
    await squatted.client.post('/v1/login/org', { org: other.slug }),
    404,
    `no org of yours is called ${other.slug}`,
  )
})
