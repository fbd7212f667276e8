import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { mailboxAt, orgHost, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, dns, mailServer } = mail
const org = await deployment.newOrg()
const { client: admin } = await org.person('admin')

/** What becomes of a test letter by the org's mailbox, written so. */
async function sentBy(mailbox: object) {
  const put = await admin.put('/v1/org/mail', mailbox)
  assert.equal(put.status, 200, put.text)
  const { status, body } = await admin.post('/v1/org/mail/test', { to: 'ana@example.com' })
  assert.equal(status, 200)
  const read = (await admin.get('/v1/org/mail')).body
  assert.equal(read.last_error, body.error)
  assert.equal(read.verified_at === null, !body.sent)
  return body
}

const failed = (error: string) => ({ sent: false, error })
const sent = { sent: true, error: null }

test('both ways to TLS are spoken, and the password is used (I-413, ID-156)', async () => {
  const auth = { username: 'acme', password: 'open sesame' }
  for (const security of ['starttls', 'tls'] as const) {
    const server = await mailServer({ security, auth })
    assert.deepEqual(await sentBy(mailboxAt(server, orgHost, { security, ...auth })), sent)
    const letter = await server.nextLetter()
    assert.deepEqual([letter.secure, letter.user], [true, 'acme'])
    assert.deepEqual(
      await sentBy(mailboxAt(server, orgHost, { security, ...auth, password: 'wrong' })),
      failed(`${orgHost} refused the username or password`),
    )
    assert.equal(server.letters().length, 1)
  }
})

test('a stored mailbox never sends in the clear: without STARTTLS the letter fails (ID-156)', async () => {
  const server = await mailServer({ security: 'none' })
  assert.deepEqual(await sentBy(mailboxAt(server, orgHost)), failed(`${orgHost} offers no STARTTLS`))
  assert.deepEqual(
    await sentBy(mailboxAt(server, orgHost, { security: 'tls' })),
    failed(`${orgHost} does not speak TLS on this port`),
  )
  assert.deepEqual(server.letters(), [])
})

test('certificates are verified, for their name and for their root (ID-156)', async () => {
  const server = await mailServer()
  dns.set('other.example', { A: ['127.0.0.1'] })
  await using elsewhere = await deployment.another({ SVC_PRIVATE_HOSTS: 'other.example' })
  const { client } = await (await elsewhere.newOrg()).person('admin')
  await client.put('/v1/org/mail', mailboxAt(server, 'other.example'))
  assert.deepEqual(
    (await client.post('/v1/org/mail/test', { to: 'ana@example.com' })).body,
    failed('the certificate of other.example is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)'),
  )
  await using rootless = await deployment.another({ SVC_CA_FILE: '' })
  const { client: other } = await (await rootless.newOrg()).person('admin')
  await other.put('/v1/org/mail', mailboxAt(server, orgHost))
  assert.deepEqual(
    (await other.post('/v1/org/mail/test', { to: 'ana@example.com' })).body,
    failed(`the certificate of ${orgHost} is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`),
  )
  assert.deepEqual(server.letters(), [])
})

test("an org's server that is not public, or resolves to nothing, is never reached and the error says so (I-415, I-416, I-417, I-418, ID-157, ID-158, T-84)", async () => {
  const server = await mailServer()
  const before = server.connections()
  dns.set('inside.example', { A: ['127.0.0.1'] })
  dns.set('both.example', { A: ['93.184.216.34', '127.0.0.1'] })
  for (const host of [
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '2130706433',
    'inside.example',
    'both.example',
    platformHost,
  ])
    assert.deepEqual(
      await sentBy(mailboxAt(server, host, { from: 'a@b.example' })),
      failed(`${host} resolves to an address that is not public`),
    )
  assert.deepEqual(
    await sentBy(mailboxAt(server, 'nowhere.example')),
    failed('nowhere.example resolves to nothing'),
  )
  assert.equal(server.connections(), before)
})

test('the name is looked up before each letter: one that has since moved inside is not reached (I-415, I-416, ID-158)', async () => {
  const server = await mailServer()
  dns.set('moving.example', { A: ['93.184.216.34'] })
  await admin.put('/v1/org/mail', mailboxAt(server, 'moving.example'))
  dns.set('moving.example', { A: ['127.0.0.1'] })
  assert.deepEqual(
    (await admin.post('/v1/org/mail/test', { to: 'ana@example.com' })).body,
    failed('moving.example resolves to an address that is not public'),
  )
  assert.equal(server.connections(), 0)
})

test('whatever a server does, the error is one sentence without credentials (I-127, ID-163)', async () => {
  const password = 'hunter2'
  const server = await mailServer({ auth: { username: 'acme', password } })
  const mailbox = mailboxAt(server, orgHost, { username: 'acme', password })
  server.behave('refuse')
  assert.deepEqual(await sentBy(mailbox), failed(`${orgHost} refused the letter with 550 5.7.1`))
  server.behave('drop')
  assert.deepEqual(await sentBy(mailbox), failed(`${orgHost} closed the connection`))

  const chatty = createServer((socket) => socket.on('error', () => {}).end('554 go away hunter2\r\n')).listen(
    0,
  )
  const rude = mailboxAt(chatty.address() as AddressInfo, orgHost, { username: 'acme', password })
  assert.deepEqual(await sentBy(rude), failed(`${orgHost} refused the letter with 554`))
  await new Promise((resolve) => chatty.close(resolve))
  assert.deepEqual(await sentBy(rude), failed(`${orgHost} cannot be reached (ECONNREFUSED)`))
  assert.equal(deployment.log().includes(password), false)
})

test('a header cannot be injected and a letter has one recipient (T-88, ID-13, ID-156)', async () => {
  const server = await mailServer()
  await admin.put('/v1/org/mail', mailboxAt(server, orgHost))
  for (const to of [
    'ana@example.com\r\nBcc: eve@example.com',
    'ana@example.com, eve@example.com',
    'Ana <ana@example.com>',
  ])
    assert.deepEqual((await admin.post('/v1/org/mail/test', { to })).body, {
      detail: 'that is not an email address',
      code: 'BAD_REQUEST',
    })
  for (const local of ['eve,ana', 'eve;ana', 'eve:ana']) {
    assert.deepEqual((await admin.post('/v1/org/mail/test', { to: `${local}@example.com` })).body, sent)
    const { envelope, headers } = await server.nextLetter()
    assert.deepEqual(envelope.to, [`"${local}"@example.com`])
    assert.deepEqual([headers['bcc'], headers['cc']], [undefined, undefined])
  }
})
