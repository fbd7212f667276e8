import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { mailboxAt, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'
import type { MailServer } from '../../testing/mail/mail-server.ts'
import { environmentMailbox } from './environment-mailbox.ts'

let server: MailServer
const auth = { username: 'post@platform', password: 'p%ss:word' }
const mail = await startMailDeployment(async (mailServer) => {
  server = await mailServer({ auth })
  return {
    SVC_SMTP_URL: `smtp://post%40platform:p%25ss%3Aword@${platformHost}:${server.port}`,
    SVC_MAIL_FROM: 'Platform <post@platform.example>',
  }
})
after(() => mail[Symbol.asyncDispose]())
const { operator } = mail.deployment
const to = { to: 'ana@example.com' }

const fromEnvironment = () => ({
  configured: true,
  host: platformHost,
  port: server.port,
  security: 'starttls',
  username: 'post@platform',
  from: 'Platform <post@platform.example>',
  verified_at: null,
  last_error: null,
  source: 'environment',
})

test("the environment's mailbox reads as such, sends, and is not reported (I-124, I-421, ID-155, ID-159, ID-163)", async () => {
  assert.deepEqual((await operator.get('/v1/ops/mail')).body, fromEnvironment())
  assert.deepEqual((await operator.post('/v1/ops/mail/test', to)).body, { sent: true, error: null })
  const { client } = await (await mail.deployment.newOrg()).person('admin')
  assert.deepEqual((await client.post('/v1/org/mail/test', to)).body, { sent: true, error: null })
  const { secure, user, envelope } = await server.nextLetter()
  assert.deepEqual([secure, user, envelope.from], [true, 'post@platform', 'post@platform.example'])
  assert.deepEqual((await operator.get('/v1/ops/mail')).body, fromEnvironment())
  assert.equal((await client.get('/v1/org/mail')).body.configured, false)
})

test('a stored mailbox comes before it, and deleting that goes back to it (I-420, I-421, ID-154, T-86)', async () => {
  const stored = await mail.mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(stored, platformHost))
  assert.equal((await operator.get('/v1/ops/mail')).body.source, 'stored')
  await operator.post('/v1/ops/mail/test', to)
  assert.equal(stored.letters().length, 1)
  assert.equal((await operator.delete('/v1/ops/mail')).status, 204)
  assert.equal((await operator.get('/v1/ops/mail')).body.source, 'environment')
  refused(await operator.delete('/v1/ops/mail'), 404, 'no mailbox is stored')
  const before = server.letters().length
  await operator.post('/v1/ops/mail/test', to)
  assert.equal(server.letters().length, before + 1)
})

test('smtp:// sends in the clear if the server offers no STARTTLS (ID-159)', async () => {
  const clear = await mail.mailServer({ security: 'none' })
  await using other = await mail.deployment.another({ SVC_SMTP_URL: `smtp://${platformHost}:${clear.port}` })
  assert.deepEqual((await other.operator.post('/v1/ops/mail/test', to)).body, { sent: true, error: null })
  assert.equal(clear.letters()[0]?.secure, false)
})

test('smtps:// speaks TLS from the start (ID-155, ID-159)', async () => {
  const tls = await mail.mailServer({ security: 'tls' })
  await using other = await mail.deployment.another({ SVC_SMTP_URL: `smtps://${platformHost}:${tls.port}` })
  assert.equal((await other.operator.get('/v1/ops/mail')).body.security, 'tls')
  assert.deepEqual((await other.operator.post('/v1/ops/mail/test', to)).body, { sent: true, error: null })
  assert.equal(tls.letters()[0]?.secure, true)
})

test('the ports are 587 and 465, and user and password are percent-decoded (ID-159)', () => {
  const read = (url: string) => environmentMailbox({ smtpUrl: new URL(url), mailFrom: 'a@b.example' })
  assert.deepEqual(read('smtp://x.example')?.port, 587)
  assert.deepEqual(read('smtps://x.example')?.port, 465)
  const { username, password, host } = read('smtps://a%2Fb:100%25%21%@[2001:db8::1]:2525') ?? {}
  assert.deepEqual([username, password, host], ['a/b', '100%25%21%', '2001:db8::1'])
})

test('one of the two settings alone is no mailbox, and the start says which is missing, once (I-125, ID-159)', async () => {
  for (const [set, missing] of [
    [{ SVC_SMTP_URL: 'smtp://u:hunter2@x.example' }, 'SVC_MAIL_FROM'],
    [{ SVC_MAIL_FROM: 'a@b.example' }, 'SVC_SMTP_URL'],
  ] as const) {
    await using deployment = await startDeployment(set)
    assert.equal((await deployment.operator.get('/v1/ops/mail')).body.source, null)
    refused(await deployment.operator.post('/v1/ops/mail/test', to), 409, 'no mailbox can send')
    const warnings = deployment
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":"warn"'))
    assert.equal(warnings.length, 1)
    assert.ok(warnings[0]?.includes(`set ${missing} too`))
    assert.equal(deployment.log().includes('hunter2'), false)
  }
})
