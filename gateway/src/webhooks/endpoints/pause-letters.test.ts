import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { ends, TestLogs } from '../../../testing/calls/test-logs.ts'
import { mailboxAt, orgHost, startMailDeployment } from '../../../testing/mail/mail-deployment.ts'
import { until } from '../../../testing/until.ts'
import { WebhookReceiver } from '../../../testing/webhooks/webhook-receiver.ts'
import { dayMs } from '../../foundation/clock.ts'

const mail = await startMailDeployment()
const receiver = await WebhookReceiver.start()
after(async () => {
  await mail[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
const { deployment } = mail

test('a webhook at which nothing succeeds for three days is paused, its org’s admins are written to, and the audit log says so', async () => {
  const server = await mail.mailServer()
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  await org.person('developer')
  done(await admin.client.put('/v1/org/mail', mailboxAt(server, orgHost)))
  const logs = new TestLogs(deployment, org, await org.serverToken('sandbox'))
  const url = receiver.at(orgHost, '/failing?token=secret')
  const { id } = done(await admin.client.in('sandbox').post('/v1/webhooks', { url }))
  receiver.reply = () => ({ status: 500 })
  const read = async () => done(await admin.client.in('sandbox').get(`/v1/webhooks/${id}`))

  await logs.write(await logs.open(), [ends])
  const failing = await until('it fails', async () => (await read()).failing_since && (await read()))
  assert.equal(failing.state, 'failing')
  deployment.clock.forward(2.9 * dayMs)
  await logs.write(await logs.open(), [ends])
  await receiver.events('/failing?token=secret', 3)
  assert.equal((await read()).state, 'failing')
  deployment.clock.forward(0.2 * dayMs)
  const paused = await until('it is paused', async () => {
    const found = await read()
    return found.state === 'paused' && found
  })
  assert.deepEqual([paused.paused_why, paused.failing_since], ['failing', failing.failing_since])
  const [letter] = await until('a letter comes', () => server.letters().length > 0 && server.letters())
  assert.ok(letter)
  assert.deepEqual(letter.envelope.to, [admin.email])
  const { text, headers } = letter
  assert.match(headers['subject'] ?? '', /a webhook of .* is paused/)
  assert.match(text, /webhook at mail\.acme\.example:\d+ in sandbox since/)
  assert.ok(!text.includes('secret'))
  assert.match(text, /https:\/\/switchroom\.test\/webhooks/)
  const { entries } = done(await admin.client.get('/v1/org/audit?action=webhook.paused'))
  assert.deepEqual(
    entries.map(({ actor, target }: Record<string, Record<string, string>>) => [
      actor?.['kind'],
      target?.['id'],
    ]),
    [['system', id]],
  )
  assert.equal(server.letters().length, 1)
})
