import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lentKeys } from '../../../testing/calls/chat-deployment.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { newMessageId } from '../../../testing/messaging/messaging-deliveries.ts'
import {
  messagingSettings,
  newContact,
  startMessagingDeployment,
} from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, platform } = messaging
const { sql } = deployment
model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`

const startProcess = () =>
  GatewayProcess.start(deployment, {
    SVC_PROVIDER_KEY_OPENAI: lentKeys.openai,
    SVC_PROVIDER_KEY_GROQ: lentKeys.groq,
    ...messagingSettings(platform),
  })

/** A message that a gateway began to read and left when it was killed. */
async function leaveMessage(came: { contact: string; id: string; text: object }) {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  await using killed = await startProcess()
  const holder = await deployment.gateway.services.database.pool.connect()
  await holder.query('begin; lock table untranscribed_messages in access exclusive mode') // it reads them first
  const lost = messagingAgent.deliver(came, killed).catch(() => 'lost')
  const gateway = await until('it is being read', async () => {
    const { rows } = await sql('select gateway from message_claims where message_id = $1', [came.id])
    return rows[0]?.gateway as string | undefined
  })
  await killed.kill()
  assert.equal(await lost, 'lost')
  await holder.query('rollback')
  holder.release()
  return { messagingAgent, gateway }
}

test('a message that a killed gateway was reading is taken over at the next delivery once it is known to be dead, of two at the same time by one, and answered once (ND-76)', async () => {
  const other = await deployment.another()
  const contact = newContact()
  const came = { contact, id: newMessageId(), text: { body: 'one' }, sentAt: deployment.clock.now() }
  const { messagingAgent, gateway } = await leaveMessage(came)
  await until('it is known to be dead', async () => {
    return (await sql('select from gateways where id = $1', [gateway])).rowCount === 0
  })
  const answers = await Promise.all([deployment, other].map((at) => messagingAgent.deliver(came, at)))
  const received = answers.filter(({ body }) => (body as { received?: number }).received === 1)
  assert.equal(received.length, 1, JSON.stringify(answers))
  for (const { status } of answers) assert.ok([200, 503].includes(status), JSON.stringify(answers))
  assert.deepEqual((await messagingAgent.deliver(came, other)).body, { received: 0 })
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said one'])
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said two'])
})
