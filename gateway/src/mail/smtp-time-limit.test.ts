import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mailboxAt, orgHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())

test('a test letter is waited for, but no longer than twenty seconds (ID-164)', async () => {
  const server = await mail.mailServer()
  server.behave('hang')
  const { client } = await (await mail.deployment.newOrg()).person('admin')
  await client.put('/v1/org/mail', mailboxAt(server, orgHost))
  const askedAt = Date.now()
  const { status, body } = await client.post('/v1/org/mail/test', { to: 'ana@example.com' })
  const tookMs = Date.now() - askedAt
  assert.deepEqual(
    [status, body],
    [200, { sent: false, error: `${orgHost} did not take the letter in time` }],
  )
  assert.ok(tookMs > 19_000 && tookMs < 22_000, `it took ${tookMs} ms`)
  assert.equal(server.tries(), 1)
})
