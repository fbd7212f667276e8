import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorKey, startDeployment } from '../../testing/deployment.ts'
import { startMailServer } from '../../testing/mail/mail-server.ts'
import { until } from '../../testing/until.ts'

const mail = await startMailServer({ auth: { username: 'post', password: 'hunter2-of-the-environment' } })
const signupKey = 'key-of-the-page-in-front'
const deployment = await startDeployment({
  SVC_SIGNUP: '1',
  SVC_SIGNUP_KEY: signupKey,
  SVC_SMTP_URL: `smtp://post:hunter2-of-the-environment@127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'post@switchroom.test',
  SVC_LOG_LEVEL: 'trace',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { anonymous, operator, sql, log, gateway } = deployment

/** Every secret the deployment made or was sent on the way through document 1. */
async function walkThrough(): Promise<Record<string, string>> {
  const secrets: Record<string, string> = { operatorKey, signupKey, smtp: 'hunter2-of-the-environment' }
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  secrets['personKey'] = admin.key
  secrets['password'] = 'a secret all of its own'

  const invited = await admin.client.post('/v1/members', { email: 'guest@example.com', role: 'qa' })
  secrets['handedToken'] = invited.body.token
  assert.doesNotMatch(invited.body.link, /svc_(?:live|test)_/)
  secrets['mailedToken'] = await tokenMailedTo('guest@example.com', 'invited')
  await anonymous.get(`/invitations/${invited.body.token}`)
  const accepted = await anonymous.post(`/v1/invitations/${invited.body.token}`, {
    password: secrets['password'],
  })
  secrets['acceptedKey'] = accepted.body.key

  await anonymous.post('/v1/login/reset', { email: 'guest@example.com' })
  secrets['resetToken'] = await tokenMailedTo('guest@example.com', 'new password')
  const signedIn = await anonymous.post('/v1/login', {
    email: 'guest@example.com',
    password: secrets['password'],
  })
  secrets['signedInKey'] = signedIn.body.key
  secrets['loginCode'] = (await admin.client.post('/v1/login/codes')).body.code
  await anonymous.get(`/?login=${secrets['loginCode']}`)
  secrets['copiedKey'] = (await anonymous.post('/v1/login', { code: secrets['loginCode'] })).body.key
  secrets['unspentCode'] = (await admin.client.post('/v1/login/codes')).body.code

  const word = (await anonymous.post('/v1/login/pairings', { device: 'box' })).body.code
  secrets['pairingWord'] = word
  await anonymous.get(`/cli?c=${word}`)
  await admin.client.post(`/v1/login/pairings/${word}`, {})
  secrets['terminalKey'] = (await anonymous.get(`/v1/login/pairings/${word}/key`)).body.key
  secrets['serverToken'] = (await admin.client.post('/v1/keys', { label: 'ci', env: 'production' })).body.key

  secrets['mailboxPassword'] = 'hunter2-of-the-org'
  const mailbox = {
    host: '127.0.0.1',
    port: mail.port,
    security: 'starttls',
    username: 'acme',
    password: secrets['mailboxPassword'],
    from: 'a@example.com',
  }
  await admin.client.put('/v1/org/mail', mailbox)
  await admin.client.post('/v1/org/mail/test', { to: 'ana@example.com' })

  const page = anonymous.as(signupKey)
  const wanted = { org: 'secretive', email: 'founder@example.com', password: 'another secret of its own' }
  secrets['foundersPassword'] = wanted.password
  await page.post('/v1/signup', wanted)
  const letter = await until('the code is there', () =>
    mail.letters().find(({ envelope }) => envelope.to.includes(wanted.email)),
  )
  secrets['signUpCode'] = /\b\d{6}\b/.exec(letter.text)?.[0] ?? ''
  const founded = await page.post('/v1/signup/verify', { email: wanted.email, code: secrets['signUpCode'] })
  secrets['foundersKey'] = founded.body.key
  secrets['foundersCode'] = founded.body.login
  return secrets
}

async function tokenMailedTo(email: string, subject: string): Promise<string> {
  const letter = await until('the letter is there', () =>
    mail
      .letters()
      .find(({ envelope, headers }) => envelope.to.includes(email) && headers['subject']?.includes(subject)),
  )
  return /\/invitations\/([A-Za-z0-9_-]{43})/.exec(letter.text)?.[1] ?? ''
}

test('no secret is in any log line, in any table in the clear, or in any listing (I-012, I-013, I-049, I-120, I-341, I-473, I-474, ID-10, ID-29, ID-31, T-91)', async () => {
  const secrets = await walkThrough()
  await gateway.services.resets.settled()
  const tables = await sql(`select table_name from information_schema.tables where table_schema = 'public'`)
  let dump = ''
  for (const { table_name } of tables.rows) {
    const { rows } = await sql(`select t.* from ${table_name} t`)
    dump += JSON.stringify(rows, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
  }
  const lines = log()
  const listings = await Promise.all(
    ['/v1/keys', '/v1/members', '/v1/org/mail', '/v1/org/sso', '/v1/login/orgs', '/v1/whoami'].map(
      async (path) => (await anonymous.as(String(secrets['personKey'])).get(path)).text,
    ),
  )
  const ops = await Promise.all(
    ['/v1/ops/mail', '/v1/ops/orgs'].map(async (path) => (await operator.get(path)).text),
  )
  for (const { text, html } of mail.letters()) assert.doesNotMatch(text + html, /svc_(?:live|test)_/)
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 6, `${name} was not made`)
    assert.equal(lines.includes(secret), false, `${name} is in the log`)
    if (name !== 'signUpCode') assert.equal(dump.includes(secret), false, `${name} is in the database`) // six digits may occur in a time
    assert.equal([...listings, ...ops].join().includes(secret), false, `${name} is in a listing`)
  }
})
