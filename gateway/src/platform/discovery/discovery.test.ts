import assert from 'node:assert/strict'
import { test } from 'node:test'
import metadata from '../../../package.json' with { type: 'json' }
import { startDeployment } from '../../../testing/deployment.ts'

test('the discovery document needs no key and has its six fields (I-020, I-021, I-025, I-027, I-028, I-029, I-030, I-031, I-129, I-183, I-527, ID-21, ID-166)', async () => {
  await using deployment = await startDeployment()
  const { status, body } = await deployment.anonymous.get('/.well-known/svc')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    version: metadata.version,
    signup: false,
    min_password: 8,
    mail: false,
    brand: { name: 'Switchroom', logo_url: null, accent: '#2f6fed' },
    social: false,
  })
})

test('the address of the voice server is in a header beside the document if the deployment sets it', async () => {
  await using silent = await startDeployment()
  assert.equal((await silent.anonymous.get('/.well-known/svc')).headers.get('link'), null)
  await using deployment = await silent.another({ SVC_VOICE_URL: 'https://speech.example/' })
  const { headers } = await deployment.anonymous.get('/.well-known/svc')
  assert.equal(headers.get('link'), '<https://speech.example>; rel="voice-server"')
})

test('the address where its sockets are opened is beside it if that is another one (S-003, SD-01)', async () => {
  await using apart = await startDeployment({
    SVC_VOICE_URL: 'https://speech.example',
    SVC_WS_URL: 'wss://live.example/',
  })
  const { headers } = await apart.anonymous.get('/.well-known/svc')
  assert.equal(
    headers.get('link'),
    '<https://speech.example>; rel="voice-server", <wss://live.example>; rel="voice-server-socket"',
  )
})

test('it reads the settings for sign-up and the shortest password (I-022, I-023, I-024)', async () => {
  await using deployment = await startDeployment({ SVC_SIGNUP: 'yes', SVC_MIN_PASSWORD: '0' })
  const { body } = await deployment.anonymous.get('/.well-known/svc')
  assert.deepEqual([body.signup, body.min_password], [true, 0])
  const org = await deployment.newOrg()
  const { body: invited } = await deployment.operator.post(`/v1/ops/orgs/${org.slug}/members`, {
    email: 'a@example.com',
  })
  assert.equal(
    (await deployment.anonymous.post(`/v1/invitations/${invited.token}`, { password: 'x' })).status,
    200,
  )
})

test("mail is true when the platform has a mailbox, stored or of the environment; an org's does not count (I-025, I-026, ID-160)", async () => {
  await using deployment = await startDeployment()
  const { operator, anonymous } = deployment
  const canMail = async () => (await anonymous.get('/.well-known/svc')).body.mail
  const mailbox = { host: 'smtp.example.com', port: 587, security: 'starttls', from: 'post@example.com' }
  const { client: admin } = await (await deployment.newOrg()).person('admin')
  await admin.put('/v1/org/mail', mailbox)
  assert.equal(await canMail(), false)
  await operator.put('/v1/ops/mail', mailbox)
  assert.equal(await canMail(), true)
  await operator.delete('/v1/ops/mail')
  assert.equal(await canMail(), false)

  await using other = await deployment.another({
    SVC_SMTP_URL: 'smtp://smtp.example.com',
    SVC_MAIL_FROM: 'post@example.com',
  })
  assert.equal((await other.anonymous.get('/.well-known/svc')).body.mail, true)
})
