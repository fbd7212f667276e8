import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { mailboxAt, orgHost, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, mailServer } = mail
const { operator, anonymous } = deployment
const to = { to: 'ana@example.com' }

test('a letter goes by the own mailbox of the org, else by the stored one, else nothing can send (I-410, I-411, I-412, I-419, I-420, I-422, I-433, I-434, I-511, ID-158, ID-160, ID-164, N-516)', async () => {
  const [own, stored] = [await mailServer(), await mailServer()]
  const org = await deployment.newOrg()
  const { client: admin } = await org.person('admin')
  refused(await admin.post('/v1/org/mail/test', to), 409, 'no mailbox can send')
  refused(await operator.post('/v1/ops/mail/test', to), 409, 'no mailbox can send')
  const invited = await operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'bo@example.com' })
  assert.equal(invited.body.mailed, false)
  assert.equal((await anonymous.post('/v1/login/reset', { email: 'bo@example.com' })).status, 202)

  await admin.put('/v1/org/mail', mailboxAt(own, orgHost))
  refused(await operator.post('/v1/ops/mail/test', to), 409, 'no mailbox can send')
  await operator.put('/v1/ops/mail', mailboxAt(stored, platformHost))
  const answer = await admin.post('/v1/org/mail/test', { to: ' Ana@Example.com ' })
  assert.deepEqual([answer.status, answer.body], [200, { sent: true, error: null }])
  assert.deepEqual([own.letters().length, stored.letters().length], [1, 0])
  const [letter] = own.letters()
  assert.deepEqual(letter?.envelope, { from: `letters@${orgHost}`, to: ['ana@example.com'] })
  assert.equal(letter?.headers['from'], `Letters <letters@${orgHost}>`)

  assert.deepEqual((await operator.post('/v1/ops/mail/test', to)).body, { sent: true, error: null })
  assert.deepEqual([own.letters().length, stored.letters().length], [1, 1])
  await admin.delete('/v1/org/mail')
  assert.deepEqual((await admin.post('/v1/org/mail/test', to)).body, { sent: true, error: null })
  assert.deepEqual([own.letters().length, stored.letters().length], [1, 2])
  await operator.delete('/v1/ops/mail')
})

test('a mailbox that fails does not fall through to the next, and stays configured (ID-160, ID-161, T-85)', async () => {
  const [own, stored] = [await mailServer(), await mailServer()]
  const { client: admin } = await (await deployment.newOrg()).person('admin')
  own.behave('refuse')
  await admin.put('/v1/org/mail', mailboxAt(own, orgHost))
  await operator.put('/v1/ops/mail', mailboxAt(stored, platformHost))
  const failed = { sent: false, error: `${orgHost} refused the letter with 550 5.7.1` }
  for (let n = 0; n < 2; n += 1) assert.deepEqual((await admin.post('/v1/org/mail/test', to)).body, failed)
  assert.deepEqual([stored.letters(), stored.connections()], [[], 0])
  await operator.delete('/v1/ops/mail')
})
