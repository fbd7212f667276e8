import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { newMessageId } from '../../../testing/messaging/messaging-deliveries.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
})

test('a reply to a button or a list is answered as the words that were chosen, and the app gets the id of the choice', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const button = { type: 'button', button: { text: 'Yes, please', payload: 'CONFIRM' } }
  const listed = {
    type: 'interactive',
    interactive: {
      type: 'list_reply',
      list_reply: { id: 'express', title: 'Express', description: 'Next day' },
    },
  }
  for (const message of [button, listed])
    assert.deepEqual((await messagingAgent.deliver({ contact, id: newMessageId(), ...message })).body, {
      received: 1,
    })
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said Yes, please', 'You said Express'])
  const told = app.frames.filter(({ type }) => type === 'msgapp.message').map(({ data }) => data)
  assert.deepEqual(
    told.map(({ type, text, reply }) => ({ type, text, reply })),
    [
      { type: 'button', text: 'Yes, please', reply: { id: 'CONFIRM', title: 'Yes, please' } },
      {
        type: 'interactive',
        text: 'Express',
        reply: { id: 'express', title: 'Express', description: 'Next day' },
      },
    ],
  )
})

test('a choice that waits for an app keeps its id', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  const chosen = { type: 'button', button: { text: 'Yes', payload: 'CONFIRM' } }
  await messagingAgent.deliver({ contact, ...chosen })
  const app = await messagingAgent.app()
  const { data } = await app.nextOf('msgapp.message')
  assert.deepEqual(data.reply, { id: 'CONFIRM', title: 'Yes' })
})

test('a reaction in an open conversation is a turn that names the words it is for; one after its end opens none, and one does not open the window', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  model.reply = () => 'Shall I book it?'
  await messagingAgent.write(contact, 'A table for two')
  await messagingAgent.texts(contact, 1)
  const sent = platform.sent.find(({ to }) => to === contact)
  const call = await messagingAgent.call(contact)
  await until('it is settled', async () => {
    const { rows } = await deployment.sql('select from sends where call = $1 and platform_id is not null', [
      call,
    ])
    return rows.length === 1
  })
  const wroteAt = async () =>
    (await deployment.sql('select wrote_at from conversations where contact = $1', [contact])).rows[0]
      .wrote_at
  const before = await wroteAt()
  model.reply = () => 'Booked.'
  const react = (to: string | undefined) =>
    messagingAgent.deliver({
      contact,
      id: newMessageId(),
      sentAt: new Date(deployment.clock.now().getTime() + 2000),
      type: 'reaction',
      reaction: { message_id: to, emoji: '👍' },
    })
  assert.deepEqual((await react(sent?.id)).body, { received: 1 })
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['Shall I book it?', 'Booked.'])
  const turns = await messagingAgent.entries(call, 'user.message')
  assert.deepEqual(
    [turns[1]?.data.type, turns[1]?.data.text],
    ['reaction', '👍 (a reaction to: “Shall I book it?”)'],
  )
  assert.deepEqual((await react('wamid.unknown')).body, { received: 1 })
  await messagingAgent.texts(contact, 3)
  assert.equal((await messagingAgent.entries(call, 'user.message'))[2]?.data.text, '👍 (a reaction)')
  assert.deepEqual(await wroteAt(), before)
  const { client } = await org.person('supervisor')
  assert.equal((await client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })).status, 202)
  assert.deepEqual((await react(sent?.id)).body, { received: 0 })
  assert.equal((await messagingAgent.calls(contact)).length, 1)
})

test('a voice note that cannot be transcribed is answered as such, before what came after it, and the log says why', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  const note = { type: 'audio', audio: { id: 'gone', mime_type: 'audio/ogg; codecs=opus', voice: true } }
  assert.deepEqual((await messagingAgent.deliver({ contact, id: newMessageId(), ...note })).body, {
    received: 1,
  })
  await messagingAgent.write(contact, 'Did you hear me?')
  await until('it is given up', async () => {
    await deployment.sql('update untranscribed_messages set retry_at = null where contact = $1', [contact])
    return (await messagingAgent.calls(contact)).length > 0
  })
  const said = ['You said (a voice note that could not be transcribed)', 'You said Did you hear me?']
  assert.deepEqual(await messagingAgent.texts(contact, 2), said)
  const [error] = await messagingAgent.entries(await messagingAgent.call(contact), 'error')
  assert.equal(error?.data.code, 'msgapp_not_transcribed')
  assert.match(error?.data.detail, /^the voice note could not be transcribed: the messaging platform says: /)
})

test('an erased contact leaves no voice note behind', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  platform.fault = ({ path }) => (path.endsWith('/slow') ? 'hangs' : undefined)
  const note = { type: 'audio', audio: { id: 'slow', mime_type: 'audio/ogg', voice: true } }
  await messagingAgent.deliver({ contact, id: newMessageId(), ...note })
  const { client } = await org.person('admin')
  const erased = await client.in('sandbox').delete(`/v1/contacts/${contact}`)
  assert.ok(erased.status < 300, erased.text)
  const { rows } = await deployment.sql('select from untranscribed_messages where contact = $1', [contact])
  assert.equal(rows.length, 0)
  platform.fault = () => undefined
})
