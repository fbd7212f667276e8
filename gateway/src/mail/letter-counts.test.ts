import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer, type Client } from '../../testing/client.ts'
import { password, startDeployment } from '../../testing/deployment.ts'
import { startMailServer } from '../../testing/mail/mail-server.ts'
import { until } from '../../testing/until.ts'
import { dayMs, hourMs } from '../foundation/clock.ts'

const mail = await startMailServer()
const deployment = await startDeployment({
  SVC_SIGNUP: 'on',
  SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'post@switchroom.test',
  SVC_LETTERS_PER_ORG: '12',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const second = await deployment.another()
const { sql } = deployment

let last = 0
const newAddress = () => `victim-${(last += 1)}@example.com`
const invite = (client: Client, email: string, name = 'Ana') =>
  client.post('/v1/members', { email, role: 'qa', name })
const admin = async (org = deployment.newOrg()) => (await org).person('admin')
const taken = (answers: Answer[]) => answers.filter(({ status }) => status === 201).length
const lettersTo = (email: string) => mail.letters().filter(({ envelope }) => envelope.to.includes(email))
const rows = async (table: 'letters' | 'members', where: string, value: string) =>
  (await sql(`select from ${table} where ${where} = $1`, [value])).rowCount
const nothingWaits = () =>
  until('no letter waits', async () => (await sql('select from letters')).rowCount === 0)
/** A letter that is being sent meanwhile would be due again. */
const later = async (ms: number) => {
  await nothingWaits()
  for (const { clock } of [deployment, second]) clock.forward(ms)
}

const toOne = (email: string) => `${email} was sent 10 emails in the last day: try again tomorrow`
const ofOrg = 'this org sent 12 emails in the last day: try again tomorrow, or ask the operator for more'

test('of 15 orgs that invite one address at the same moment over two gateways ten write a letter, and five keep nothing', async () => {
  const email = newAddress()
  const admins = await Promise.all(Array.from({ length: 15 }, () => admin()))
  const answers = await Promise.all(
    admins.map(({ key }, n) => invite((n % 2 ? deployment : second).anonymous.as(key), email)),
  )
  assert.equal(taken(answers), 10)
  for (const answer of answers)
    if (answer.status !== 201) {
      refused(answer, 429, toOne(email))
      assert.match(answer.headers.get('retry-after') ?? '', /^86[34]\d\d$/)
    }
  assert.equal(await rows('members', 'email', email), 10)
  await nothingWaits()
  assert.equal(lettersTo(email).length, 10)
})

test('an address that is invited and removed again and again gets ten letters a day, with a + or without', async () => {
  const email = newAddress()
  const { client } = await admin()
  for (let n = 0; n < 10; n += 1) {
    const invited = await invite(client, n % 2 ? email : email.replace('@', `+${n}@`))
    assert.equal(invited.status, 201, invited.text)
    assert.equal((await client.delete(`/v1/members/${invited.body.member.id}`)).status, 204)
  }
  refused(await invite(client, email), 429, toOne(email))
  const tagged = email.replace('@', '+more@')
  refused(await invite(client, tagged), 429, toOne(tagged))
  assert.equal(await rows('members', 'email', email), 0)
  await later(dayMs + 1)
  assert.equal((await invite(client, email)).status, 201)
})

test('an org writes so many letters a day over all its recipients, also at the same moment over two gateways', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  await later(dayMs + 1) // without the letter of that admin's own invitation
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      invite((n % 2 ? deployment : second).anonymous.as(key), newAddress()),
    ),
  )
  assert.equal(taken(answers), 12)
  for (const answer of answers) if (answer.status !== 201) refused(answer, 429, ofOrg)
  assert.equal(await rows('members', 'org', org.id), 13)
})

test('test letters and resets that an admin asks for are counted with the rest', async () => {
  const { client } = await admin()
  const email = newAddress()
  const { member } = (await invite(client, email)).body
  for (let n = 0; n < 9; n += 1)
    assert.equal((await client.post('/v1/org/mail/test', { to: email })).status, 200)
  refused(await client.post('/v1/org/mail/test', { to: ` ${email.toUpperCase()}` }), 429, toOne(email))
  await sql(`update members set status = 'active' where id = $1`, [member.id])
  refused(await client.post(`/v1/members/${member.id}/reset`), 429, toOne(email))
})

test('no org uses up the letters of a forgotten password; those end silently, ten a day', async () => {
  const org = await deployment.newOrg()
  const { email } = await org.person('qa')
  const { client } = await org.person('admin')
  await later(dayMs + 1)
  for (let n = 0; n < 10; n += 1)
    assert.equal((await client.post('/v1/org/mail/test', { to: email })).status, 200)
  await nothingWaits()
  const before = lettersTo(email).length
  for (let hour = 0; hour < 4; hour += 1) {
    for (let n = 0; n < 5; n += 1) {
      const { status, text } = await deployment.anonymous.post('/v1/login/reset', { email })
      assert.deepEqual([status, text], [202, '{}'])
    }
    await deployment.gateway.services.resets.settled()
    await later(hourMs + 1)
  }
  await nothingWaits()
  assert.equal(lettersTo(email).length - before, 10)
  const links = await sql(
    `select from invitations i join members m on m.id = i.member where m.email = $1 and purpose = 'reset'`,
    [email],
  )
  assert.equal(links.rowCount, 10, 'no link is kept that was not sent')
  assert.equal(deployment.log().includes('a password reset email could not be sent'), false)
})

test('a sign-up is answered alike when its address has had its letters', async () => {
  const email = newAddress()
  const asked = async () =>
    deployment.anonymous.post('/v1/signup', { org: `org-${(last += 1)}`, email, password })
  for (let n = 0; n < 12; n += 1) {
    if (n % 5 === 0) await later(hourMs + 1)
    assert.equal((await asked()).status, 202)
  }
  await nothingWaits()
  assert.equal(lettersTo(email).length, 10)
})

const evil = 'Your account is locked, visit https://evil.example'
const noLink = 'a name may hold no address and no link: write it without "@", "://" and dots between letters'

test('a name with a link is refused if it would be put into a letter, and nothing is sent', async () => {
  const { client } = await admin()
  const email = newAddress()
  const { operator, anonymous } = deployment
  refused(await invite(client, email, evil), 400, noLink)
  refused(await invite(client, email, 'Ana\nvisit us'), 400, 'a name is one line of 1 to 100 characters')
  refused(await operator.post('/v1/ops/orgs', { slug: 'evil-org', name: evil }), 400, noLink)
  const wanted = { org: 'evil-org', email, password }
  refused(await anonymous.post('/v1/signup', { ...wanted, person: evil }), 400, noLink)
  refused(await anonymous.post('/v1/signup', { ...wanted, name: evil }), 400, noLink)
  await nothingWaits()
  assert.equal(lettersTo(email).length, 0)
})

test('a member and an org that are called so already are not named in a letter', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const victim = await org.person('qa')
  await sql('update members set name = $2 where id = $1', [victim.id, evil])
  await sql('update orgs set name = $2 where id = $1', [org.id, evil])
  await nothingWaits()
  const before = lettersTo(victim.email).length
  assert.equal((await client.post(`/v1/members/${victim.id}/reset`)).status, 201)
  const email = newAddress()
  assert.equal((await invite(client, email)).status, 201)
  await nothingWaits()
  const letters = [...lettersTo(victim.email).slice(before), ...lettersTo(email)]
  assert.equal(letters.length, 2)
  for (const { text, html, headers } of letters) {
    assert.match(text, /https:\/\/switchroom\.test\/invitations\//)
    assert.doesNotMatch(text + html + JSON.stringify(headers), /evil|locked/)
  }
})
