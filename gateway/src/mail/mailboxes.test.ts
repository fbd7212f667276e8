import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { mailboxAt, orgHost, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, mailServer } = mail
const { operator, anonymous, sql } = deployment
const to = { to: 'ana@example.com' }

const newAdmin = async () => (await (await deployment.newOrg()).person('admin')).client

const nowhere = {
  host: 'smtp.example.com',
  port: 465,
  security: 'tls',
  username: 'acme',
  password: 'hunter2 of acme',
  from: 'Acme <post@acme.example>',
}
const unconfigured = {
  configured: false,
  host: null,
  port: null,
  security: null,
  username: null,
  from: null,
  verified_at: null,
  last_error: null,
}

test("an org's mailbox is written whole, read without its password, and forgotten (I-119, I-120, I-121, I-407, I-409, ID-12, ID-154, ID-155)", async () => {
  const admin = await newAdmin()
  assert.deepEqual((await admin.get('/v1/org/mail')).body, unconfigured)
  const { password: _, ...readable } = nowhere
  const kept = { ...unconfigured, ...readable, configured: true }
  const put = await admin.put('/v1/org/mail', { ...nowhere, colour: 'red' })
  assert.deepEqual([put.status, put.body], [200, kept])
  assert.deepEqual((await admin.get('/v1/org/mail')).body, kept)
  const second = { host: '2001:db8::1', port: 25, security: 'starttls', from: 'post@acme.example' }
  assert.deepEqual((await admin.put('/v1/org/mail', second)).body, {
    ...unconfigured,
    ...second,
    configured: true,
  })
  assert.deepEqual(
    (await admin.put('/v1/org/mail', { ...second, username: null, password: null })).status,
    200,
  )
  const deleted = await admin.delete('/v1/org/mail')
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assert.deepEqual((await admin.get('/v1/org/mail')).body, unconfigured)
  refused(await admin.delete('/v1/org/mail'), 404, 'this org keeps no mailbox')
})

test("the platform's mailbox says where it comes from, and a second one leaves nothing of the first (I-122, I-123, I-125, I-427, I-428, I-429, I-431, I-432, I-502, ID-154, ID-155)", async () => {
  assert.deepEqual((await operator.get('/v1/ops/mail')).body, { ...unconfigured, source: null })
  const { password: _, ...readable } = nowhere
  const kept = { ...unconfigured, ...readable, configured: true, source: 'stored' }
  const put = await operator.put('/v1/ops/mail', nowhere)
  assert.deepEqual([put.status, put.body], [200, kept])
  assert.deepEqual((await operator.get('/v1/ops/mail')).body, kept)
  const second = { host: '10.0.0.25', port: 587, security: 'starttls', from: 'post@platform.example' }
  await operator.put('/v1/ops/mail', second)
  assert.deepEqual((await operator.get('/v1/ops/mail')).body, {
    ...unconfigured,
    ...second,
    configured: true,
    source: 'stored',
  })
  const { rows } = await sql(`select username, password from mailboxes where owner = 'platform'`)
  assert.deepEqual(rows, [{ username: null, password: null }])
  assert.equal((await operator.delete('/v1/ops/mail')).status, 204)
  refused(await operator.delete('/v1/ops/mail'), 404, 'no mailbox is stored')
})

test('all four endpoints of an org need the scope team, and those of the platform an operator (I-406, ID-05)', async () => {
  const org = await deployment.newOrg()
  const { client: manager } = await org.person('manager')
  const { client: developer } = await org.person('developer')
  assert.equal((await manager.get('/v1/org/mail')).status, 200)
  for (const [method, path] of [
    ['GET', '/mail'],
    ['PUT', '/mail'],
    ['DELETE', '/mail'],
    ['POST', '/mail/test'],
  ] as const) {
    const body = method === 'PUT' || method === 'POST' ? {} : undefined
    refused(
      await developer.send(method, `/v1/org${path}`, body),
      403,
      /^this key does not open team: it opens /,
    )
    refused(await anonymous.send(method, `/v1/org${path}`, body), 401, 'this door takes an API key')
    refused(await manager.send(method, `/v1/ops${path}`, body), 403, "this door is the operator's")
  }
})

test('an invalid value is 400 with a sentence of its own, org and platform alike (I-414, I-481, ID-02, ID-03, ID-156)', async () => {
  const admin = await newAdmin()
  const wrong: [object, string][] = [
    [{ security: 'none' }, 'security is starttls or tls'],
    [{ security: '' }, 'security is starttls or tls'],
    [{ security: 'TLS' }, 'security is starttls or tls'],
    ...[0, -1, 65536].map((port): [object, string] => [{ port }, 'port is a number from 1 to 65535']),
    ...['', 'smtp://x.example', 'x.example:25', 'x.example/y', 'me@x.example', 'a b', '[::1]:25'].map(
      (host): [object, string] => [{ host }, 'host is a name or an address, without a scheme or a port'],
    ),
    ...[
      '',
      'Acme',
      'a@b',
      'Acme <a@b>',
      'a@b.example, c@d.example',
      '<a@b.example> c',
      'A <a@b.example> <c@d.example>',
    ].map((from): [object, string] => [{ from }, 'from is a@b or Name <a@b>']),
    ...['host', 'security', 'username', 'password', 'from'].map((field): [object, string] => [
      { [field]: 'x\r\nBcc: eve@example.com' },
      `${field} is one line`,
    ]),
  ]
  for (const [value, sentence] of wrong) {
    refused(await admin.put('/v1/org/mail', { ...nowhere, ...value }), 400, sentence)
    refused(await operator.put('/v1/ops/mail', { ...nowhere, ...value }), 400, sentence)
  }
  for (const field of ['host', 'port', 'security', 'from'])
    refused(await admin.put('/v1/org/mail', { ...nowhere, [field]: undefined }), 422, `${field}: is required`)
  refused(await admin.put('/v1/org/mail', { ...nowhere, port: '25' }), 422, 'port: must be a whole number')
  refused(
    await admin.put('/v1/org/mail', { ...nowhere, password: 7 }),
    422,
    'password: must be a string or null',
  )
  refused(await admin.post('/v1/org/mail/test', {}), 422, 'to: is required')
  refused(await operator.post('/v1/ops/mail/test', { to: 'nobody' }), 400, 'that is not an email address')
  assert.deepEqual((await admin.get('/v1/org/mail')).body, unconfigured)
})

test('writing a mailbox touches no network (I-408, I-430, ID-157, T-84)', async () => {
  const server = await mailServer()
  const admin = await newAdmin()
  const asked = mail.dns.asked().length
  assert.equal((await admin.put('/v1/org/mail', mailboxAt(server, orgHost))).status, 200)
  assert.equal(
    (await admin.put('/v1/org/mail', mailboxAt(server, '127.0.0.1', { from: 'a@b.example' }))).status,
    200,
  )
  assert.equal((await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))).status, 200)
  await operator.delete('/v1/ops/mail')
  assert.deepEqual([server.connections(), mail.dns.asked().length], [0, asked])
})

test('the last letter is reported: when it was sent, or why not; writing the mailbox forgets both (I-126, I-127, ID-06, ID-163)', async () => {
  const server = await mailServer()
  const admin = await newAdmin()
  const reported = async (client = admin, path = '/v1/org/mail') => {
    const { verified_at, last_error } = (await client.get(path)).body
    return { verified_at, last_error }
  }
  await admin.put('/v1/org/mail', mailboxAt(server, orgHost))
  assert.deepEqual(await reported(), { verified_at: null, last_error: null })
  await admin.post('/v1/org/mail/test', to)
  const { verified_at, last_error } = await reported()
  assert.match(verified_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Math.abs(Date.parse(verified_at) - Date.now()) < 5000)
  assert.equal(last_error, null)
  server.behave('refuse')
  await admin.post('/v1/org/mail/test', to)
  const refusedLetter = { verified_at: null, last_error: `${orgHost} refused the letter with 550 5.7.1` }
  assert.deepEqual(await reported(), refusedLetter)
  await admin.put('/v1/org/mail', mailboxAt(server, orgHost))
  assert.deepEqual(await reported(), { verified_at: null, last_error: null })

  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await operator.post('/v1/ops/mail/test', to)
  assert.equal(
    (await reported(operator, '/v1/ops/mail')).last_error,
    `${platformHost} refused the letter with 550 5.7.1`,
  )
  assert.deepEqual(await reported(), { verified_at: null, last_error: null })
  await operator.delete('/v1/ops/mail')
})

test('a letter that left by an account since replaced says nothing of the new one (ID-163)', async () => {
  const server = await mailServer()
  const admin = await newAdmin()
  server.behave('hang')
  await admin.put('/v1/org/mail', mailboxAt(server, orgHost))
  const sending = admin.post('/v1/org/mail/test', to)
  while (server.tries() === 0) await admin.get('/v1/org/mail')
  await admin.put('/v1/org/mail', nowhere)
  await server[Symbol.asyncDispose]()
  assert.equal((await sending).body.sent, false)
  assert.equal((await admin.get('/v1/org/mail')).body.last_error, null)
})

test('the password is kept sealed, opens at its own row alone, and is in no log line (I-473, ID-29, T-91, T-94)', async () => {
  const auth = { username: 'acme', password: 'hunter2 of acme' }
  const server = await mailServer({ auth })
  const [one, other] = [await newAdmin(), await newAdmin()]
  await one.put('/v1/org/mail', mailboxAt(server, orgHost, auth))
  await other.put('/v1/org/mail', mailboxAt(server, orgHost, { ...auth, password: 'wrong' }))
  assert.equal((await one.post('/v1/org/mail/test', to)).body.sent, true)
  const { rows } = await sql(`select mailboxes::text as row, password from mailboxes`)
  for (const { row, password } of rows) assert.doesNotMatch(`${row} ${password}`, /hunter2/)
  assert.equal(deployment.log().includes('hunter2'), false)

  const { org } = (await one.get('/v1/whoami')).body
  const { org: otherOrg } = (await other.get('/v1/whoami')).body
  await sql(
    `update mailboxes set password = (select password from mailboxes where owner = $1) where owner = $2`,
    [org, otherOrg],
  )
  assert.deepEqual((await other.post('/v1/org/mail/test', to)).body, {
    sent: false,
    error: 'the password of this mailbox does not open: write the mailbox again',
  })
  assert.equal(server.letters().length, 1)
})
