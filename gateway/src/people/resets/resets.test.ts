import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'
import { startMailServer } from '../../../testing/mail/mail-server.ts'
import { until } from '../../../testing/until.ts'

const mail = await startMailServer()
const deployment = await startDeployment({
  SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'post@switchroom.test',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { anonymous, sql, gateway } = deployment

let places = 0
const reset = (email: string) =>
  anonymous.with({ 'x-forwarded-for': `198.51.100.${(places += 1)}` }).post('/v1/login/reset', { email })
const lettersTo = (email: string) =>
  mail
    .letters()
    .filter(
      ({ envelope, headers }) => envelope.to.includes(email) && /new password/.test(headers['subject'] ?? ''),
    )
const linkTo = async (email: string, nth = 1) => {
  const letter = await until('the letter is there', () => lettersTo(email)[nth - 1])
  return /https:\/\/switchroom\.test\/invitations\/([A-Za-z0-9_-]{43})/.exec(letter.text)?.[1] ?? ''
}
const tokensOf = async (email: string) =>
  (await sql('select from invitations i join members m on m.id = i.member where m.email = $1', [email]))
    .rowCount

test('known and unknown addresses are answered alike, and the known one gets one letter by the platform (I-188, I-230, I-231, I-232, I-234, I-080, ID-71, T-40)', async () => {
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('qa')
  await second.join(ana.email, 'qa')
  const [known, unknown] = [await reset(` ${ana.email.toUpperCase()}`), await reset('nobody@example.com')]
  assert.deepEqual([known.status, known.text], [202, '{}'])
  assert.deepEqual([unknown.status, unknown.text], [202, '{}'])
  const token = await linkTo(ana.email)
  await gateway.services.resets.settled()
  assert.equal(lettersTo(ana.email).length, 1)
  assert.equal(lettersTo('nobody@example.com').length, 0)

  const accepted = await anonymous.post(`/v1/invitations/${token}`, { password: 'a new password' })
  assert.deepEqual([accepted.status, accepted.body.member.id], [200, ana.id])
  refused(
    await anonymous.post(`/v1/invitations/${token}`, { password }),
    404,
    'that link is spent or was never made',
  )
})

test('the link proves the address, and its password is the one of the person in every org (I-131, I-235, I-236, ID-57)', async () => {
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('qa')
  await second.join(ana.email, 'qa')
  await sql('update persons set verified = false where email = $1', [ana.email])
  await reset(ana.email)
  const { body } = await anonymous.post(`/v1/invitations/${await linkTo(ana.email)}`, {
    password: 'a new password',
  })
  assert.equal(body.member.verified, true)
  const signIn = (typed: string, org: string) =>
    anonymous
      .with({ 'x-forwarded-for': `198.51.101.${(places += 1)}` })
      .post('/v1/login', { email: ana.email, password: typed, org })
  for (const { slug } of [first, second]) {
    assert.equal((await signIn('a new password', slug)).status, 200)
    assert.equal((await signIn(password, slug)).status, 401)
  }
})

test('a person who is only invited, disabled or in a provider-only org gets none (I-237, T-40)', async () => {
  const [org, walled] = [await deployment.newOrg(), await deployment.newOrg()]
  await org.invite('invited-only@example.com', 'qa')
  const disabled = await org.person('qa')
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  const walledIn = await walled.person('qa')
  await walled.requireProvider()
  for (const email of ['invited-only@example.com', disabled.email, walledIn.email]) {
    const before = await tokensOf(email)
    assert.equal((await reset(email)).status, 202)
    await gateway.services.resets.settled()
    assert.equal(await tokensOf(email), before)
  }
})

test("an org's own mailbox never carries it (I-233, T-40)", async () => {
  const orgMail = await startMailServer()
  const org = await deployment.newOrg()
  const ana = await org.person('admin')
  const mailbox = { host: '127.0.0.1', port: orgMail.port, security: 'starttls', from: 'org@example.com' }
  assert.equal((await ana.client.put('/v1/org/mail', mailbox)).status, 200)
  await reset(ana.email)
  await linkTo(ana.email)
  assert.equal(orgMail.connections(), 0)
  await orgMail[Symbol.asyncDispose]()
})

test('at most five letters an hour, whatever the place, and the answer stays the same (ID-72)', async () => {
  const { email } = await (await deployment.newOrg()).person('qa')
  for (let n = 0; n < 7; n += 1) {
    assert.equal((await reset(email)).status, 202)
    await gateway.services.resets.settled()
  }
  assert.equal(await tokensOf(email), 5)
})

test('with no mailbox nothing is minted (I-238, I-422)', async () => {
  await using mute = await startDeployment()
  const { email } = await (await mute.newOrg()).person('qa')
  assert.equal((await mute.anonymous.post('/v1/login/reset', { email })).status, 202)
  await mute.gateway.services.resets.settled()
  assert.equal((await mute.sql('select from invitations')).rowCount, 0)
})

test('a password chosen by one link kills the others of the person (ID-73)', async () => {
  const { email } = await (await deployment.newOrg()).person('qa')
  await reset(email)
  const first = await linkTo(email)
  await reset(email)
  const second = await linkTo(email, 2)
  assert.equal(
    (await anonymous.post(`/v1/invitations/${second}`, { password: 'a new password' })).status,
    200,
  )
  refused(
    await anonymous.post(`/v1/invitations/${first}`, { password }),
    404,
    'that link is spent or was never made',
  )
})

test('of 20 uses of one reset link concurrently over two gateways exactly one sets the password (I-079, I-241, T-29)', async () => {
  const second = await deployment.another()
  const { email, id } = await (await deployment.newOrg()).person('qa')
  await reset(email)
  const path = `/v1/invitations/${await linkTo(email)}`
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? anonymous : second.anonymous).post(path, { password: 'a new password' }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers)
    if (answer.status !== 200) refused(answer, 404, 'that link is spent or was never made')
  assert.equal((await sql('select from keys where member = $1', [id])).rowCount, 2)
})
