import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newMessageId } from '../../../testing/messaging/messaging-deliveries.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { hangs } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

// The webhook in front of real conversations.
const deployment = await startMessagingDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { model, platform } = deployment

test('a delivery is answered once it is queued, and its repeat too, however long the model takes (N-097, T-62, T-84)', async () => {
  const messagingAgent = await deployment.newMessagingAgent()
  const app = await messagingAgent.app()
  const usual = model.reply
  model.reply = () => hangs
  const [contact, id] = [newContact(), newMessageId()]
  const message = { contact, id, text: { body: 'Think about it' } }
  assert.deepEqual(await messagingAgent.deliver(message), { status: 200, body: { received: 1 } })
  await until('the model is asked', () => model.asked.length > 0)
  assert.deepEqual(await messagingAgent.deliver(message), { status: 200, body: { received: 0 } })
  assert.deepEqual(platform.textsTo(contact), [])
  assert.equal((await messagingAgent.entries(await messagingAgent.call(contact), 'user.message')).length, 1)
  model.reply = usual
  await app.close()
})

test('a repeat of a message that waits for an app adds nothing to the agent’s log (N-098)', async () => {
  const messagingAgent = await deployment.newMessagingAgent()
  const message = { contact: newContact(), id: newMessageId(), text: { body: 'Anybody?' } }
  assert.deepEqual(await messagingAgent.deliver(message), { status: 200, body: { received: 1 } })
  assert.deepEqual(await messagingAgent.deliver(message), { status: 200, body: { received: 0 } })
  assert.equal((await messagingAgent.agentEntries('message.waiting')).length, 1)
})

test('a contact that wrote is no stranger under the number that is dialled (ND-77, T-82)', async () => {
  const messagingAgent = await deployment.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  const { rows } = await messagingAgent.deployment.sql(
    'select contact from known_contacts where contact = $1',
    [contact],
  )
  assert.deepEqual(rows, [{ contact }])
  assert.match(contact, /^\+\d+$/)
  await app.close()
})
