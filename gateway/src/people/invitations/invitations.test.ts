import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'
import { weekMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator, anonymous, sql } = deployment

const dead = 'that link is spent or was never made'
const hashOf = async (email: string) =>
  (await sql('select password_hash, verified from persons where email = $1', [email])).rows[0]

let invited = 0
async function invitation(options: object = {}) {
  const org = await deployment.newOrg()
  const email = `guest-${(invited += 1)}@example.com`
  const { body } = await operator.post(`/v1/ops/orgs/${org.slug}/members`, {
    email,
    name: 'Ana',
    role: 'developer',
    ...options,
  })
  const accept = (wanted: object = { password }, client = anonymous) =>
    client.post(`/v1/invitations/${body.token}`, wanted)
  return { org, email, member: body.member, token: body.token as string, accept }
}

test('accepting takes the seat, sets the password and answers a key with the member (I-015, I-016, I-048, I-050, I-051, I-052, I-053, I-054, I-055, I-056, I-057, I-058, I-062, I-130, I-189, I-239, I-456, ID-09, ID-55, ID-79)', async () => {
  const { org, email, member, accept } = await invitation()
  const { status, body } = await accept({ password, device: 'work laptop' })
  assert.equal(status, 200)
  const { key, key_id, member: accepted, ...rest } = body
  assert.match(key, /^svc_live_[A-Za-z0-9_-]{43}$/)
  assert.match(key_id, /^key_[0-9a-f]{16}$/)
  assert.deepEqual(rest, {
    org: org.id,
    label: 'work laptop',
    env: 'sandbox',
    scopes: ['app', 'calls', 'talk', 'pipeline', 'words', 'knowledge', 'evals'],
    subject: member.id,
    name: 'Ana',
  })
  assert.deepEqual(accepted, { ...member, status: 'active', verified: true })
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.subject, member.id)
  const person = await hashOf(email)
  assert.match(person.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(person.verified, true)
})

test('a device that is absent, blank or too long labels the key all the same (ID-14, ID-15)', async () => {
  assert.equal((await (await invitation()).accept({ password })).body.label, 'sign-in')
  assert.equal((await (await invitation()).accept({ password, device: '  ' })).body.label, 'sign-in')
  assert.equal(
    (await (await invitation()).accept({ password, device: `a\nb${'c'.repeat(200)}` })).body.label,
    `a b${'c'.repeat(97)}`,
  )
})

test('a spent, dead or invented link is one 404 (I-078, I-241, I-497, ID-80, ID-81)', async () => {
  const spent = await invitation()
  assert.equal((await spent.accept()).status, 200)
  refused(await spent.accept(), 404, dead)
  refused(await anonymous.post('/v1/invitations/invented', { password }), 404, dead)

  const removed = await invitation()
  await operator.delete(`/v1/ops/orgs/${removed.org.slug}/members/${removed.member.id}`)
  refused(await removed.accept(), 404, dead)

  const seatedOtherwise = await invitation()
  await sql(`update members set status = 'active' where id = $1`, [seatedOtherwise.member.id])
  refused(await seatedOtherwise.accept(), 404, dead)
})

test('a link lives one week (I-078, I-519)', async () => {
  await using own = await startDeployment()
  const org = await own.newOrg()
  const invite = async (email: string) =>
    (await own.operator.post(`/v1/ops/orgs/${org.slug}/members`, { email })).body.token
  const [late, timely] = [await invite('late@example.com'), await invite('timely@example.com')]
  own.clock.forward(weekMs - 60_000)
  assert.equal((await own.anonymous.post(`/v1/invitations/${timely}`, { password })).status, 200)
  own.clock.forward(61_000)
  refused(await own.anonymous.post(`/v1/invitations/${late}`, { password }), 404, dead)
})

test('the token is judged before the password, and a refused password does not spend it (I-242, I-478, I-525, ID-80, T-37, T-38)', async () => {
  const { accept } = await invitation()
  refused(await anonymous.post('/v1/invitations/invented', { password: '' }), 404, dead)
  refused(await accept({ password: 'sevenxx' }), 400, 'a password is at least 8 characters')
  refused(await accept({ password: '🎧'.repeat(7) }), 400, 'a password is at least 8 characters')
  refused(await accept({ password: 'x'.repeat(1025) }), 400, 'that password is too long')
  refused(await accept({}), 422, 'password: is required')
  assert.equal((await accept({ password: '🎧'.repeat(8) })).status, 200)
})

test('an empty password is refused even if there is no length rule (I-024, ID-80)', async () => {
  await using own = await startDeployment({ SVC_MIN_PASSWORD: '0' })
  const org = await own.newOrg()
  const { body } = await own.operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'a@example.com' })
  refused(
    await own.anonymous.post(`/v1/invitations/${body.token}`, { password: '' }),
    400,
    'a password is at least 1 characters',
  )
})

test('of 20 uses concurrently over two gateways exactly one succeeds, and one key is made (I-241, T-29)', async () => {
  const second = await deployment.another()
  const { member, accept } = await invitation()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => accept({ password }, n % 2 ? anonymous : second.anonymous)),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers) if (answer.status !== 200) refused(answer, 404, dead)
  assert.equal((await sql('select from keys where member = $1', [member.id])).rowCount, 1)
})

test('accepting and removing concurrently ends in one of the two, never in a failure', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { org, member, accept } = await invitation()
    const [accepted, removed] = await Promise.all([
      accept(),
      operator.delete(`/v1/ops/orgs/${org.slug}/members/${member.id}`),
    ])
    assert.ok(accepted.status === 200 || accepted.status === 404)
    assert.equal(removed.status, 204)
    if (accepted.status === 200)
      refused(await anonymous.as(accepted.body.key).get('/v1/whoami'), 401, 'this key opens nothing')
  }
})

test('the password is one for the person in every org, and setting it ends their other keys unless they keep them (I-131, I-240, ID-73, T-15)', async () => {
  const { org, email, accept } = await invitation()
  const { key } = (await accept()).body
  const before = await hashOf(email)
  const other = await deployment.newOrg()
  const { body } = await operator.post(`/v1/ops/orgs/${other.slug}/members`, { email })
  assert.equal(body.member.verified, true)
  const choose = async (purpose: string, wanted: object) => {
    await sql(
      `insert into invitations (digest, member, purpose, handed, proves_address, expires_at)
       values (sha256('mailed'), $1, $2, false, true, now() + interval '1 day')`,
      [body.member.id, purpose],
    )
    return anonymous.post('/v1/invitations/mailed', { password: 'another password', ...wanted })
  }
  assert.equal((await choose('invitation', { keep_keys: true })).status, 200)
  const changed = await hashOf(email)
  assert.notEqual(changed.password_hash, before.password_hash)
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.org, org.id)
  const again = await choose('reset', {})
  refused(await anonymous.as(key).get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal((await anonymous.as(again.body.key).get('/v1/whoami')).body.org, other.id)
  assert.equal((await sql('select from persons where email = $1', [email])).rowCount, 1)
})

test('a handed link that proves nothing is dead once the address is in another org or has a password (ID-75, T-31)', async () => {
  const handed = await invitation()
  await sql('update invitations set proves_address = false where member = $1', [handed.member.id])
  const other = await deployment.newOrg()
  const elsewhere = await operator.post(`/v1/ops/orgs/${other.slug}/members`, { email: handed.email })
  refused(await handed.accept(), 404, dead)
  await operator.delete(`/v1/ops/orgs/${other.slug}/members/${elsewhere.body.member.id}`)
  await sql(`update persons set password_hash = 'chosen' where email = $1`, [handed.email])
  refused(await handed.accept(), 404, dead)
  await sql('update persons set password_hash = null where email = $1', [handed.email])
  assert.equal((await handed.accept()).body.member.verified, false)
})

test('a set password ends every reset link of the person and leaves invitations of other orgs (ID-73)', async () => {
  const { email, member, accept } = await invitation()
  const other = await deployment.newOrg()
  const elsewhere = await operator.post(`/v1/ops/orgs/${other.slug}/members`, { email })
  const add = (name: string, of: string, purpose: string) =>
    sql(
      `insert into invitations (digest, member, purpose, handed, proves_address, expires_at)
       values (sha256($1::text::bytea), $2, $3, false, true, now() + interval '1 day')`,
      [name, of, purpose],
    )
  await add('twin', member.id, 'invitation')
  await add('reset', elsewhere.body.member.id, 'reset')
  await add('invited elsewhere', elsewhere.body.member.id, 'invitation')
  assert.equal((await accept()).status, 200)
  const { rows } = await sql(`select purpose, member from invitations where member in ($1, $2)`, [
    member.id,
    elsewhere.body.member.id,
  ])
  assert.deepEqual(rows, [{ purpose: 'invitation', member: elsewhere.body.member.id }])
})

test('an invitation is opaque: nothing of the person or the org is in it (I-077, ID-09)', async () => {
  const { token, org, email, member } = await invitation()
  assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  for (const known of [org.id, org.slug, email, member.id])
    assert.equal(Buffer.from(token, 'base64url').includes(known), false)
})

test('links start with the base setting, never with what the request claims (ID-42, T-39)', async () => {
  const org = await deployment.newOrg()
  const claiming = operator.with({ 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' })
  const { body } = await claiming.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'linked@example.com' })
  assert.equal(body.link, `https://switchroom.test/invitations/${body.token}`)
})

test('the page behind the link is one page for any token, and looking at it spends nothing (I-012, ID-83, T-37)', async () => {
  const { token, accept } = await invitation()
  const [real, invented] = [
    await anonymous.get(`/invitations/${token}`),
    await anonymous.get('/invitations/invented'),
  ]
  assert.equal(real.status, 200)
  assert.equal(real.text, invented.text)
  assert.equal(real.text.includes(token), false)
  assert.equal(real.headers.get('referrer-policy'), 'no-referrer')
  assert.match(real.headers.get('content-security-policy') ?? '', /script-src 'self';/)
  refused(await anonymous.get(`/v1/invitations/${token}`), 405, `/v1/invitations/${token} does not take GET`)
  assert.equal((await accept()).status, 200)
})

test('passwords are hashed off the event loop: other requests are answered meanwhile (ID-67, T-12)', async () => {
  const guests = await Promise.all(Array.from({ length: 20 }, () => invitation()))
  const meanwhile = { answered: 0, over: false }
  const accepting = Promise.all(guests.map(({ accept }) => accept())).finally(() => (meanwhile.over = true))
  while (!meanwhile.over) {
    assert.equal((await anonymous.get('/.well-known/svc')).status, 200)
    meanwhile.answered += 1
  }
  assert.ok((await accepting).every(({ status }) => status === 200))
  assert.ok(meanwhile.answered > 20, `only ${meanwhile.answered} requests were answered meanwhile`)
})
