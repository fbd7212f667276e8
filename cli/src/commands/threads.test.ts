import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  newContact,
  startMessagingDeployment,
} from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { until } from '@switchroom/gateway/testing/until'
import { Machine } from '../../testing/terminal.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org } = messaging

test('a thread is listed, read, answered as the agent and marked as read', async (t) => {
  const { key } = await org.person('supervisor')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const desk = await messaging.newMessagingAgent()
  const contact = newContact()
  await desk.app()
  await desk.write(contact, 'Is there rye bread?')
  const thread = async () => (await machine.json(['threads', 'list', desk.agent])).threads[0]
  await until('it is answered', async () => (await thread())?.turns.length === 2)
  assert.equal((await thread()).unread, 1)

  const listed = await machine.run(['threads', 'list', desk.agent])
  assert.match(listed.stdout, new RegExp(`^\\S+\\t\\${contact}\\t.*\\topen\\t1\\t\\S+\\tHello\\.\\n$`))
  const shown = await machine.run(['threads', 'show', desk.agent, contact])
  assert.match(shown.stdout, /^\S+ contact: Is there rye bread\?\n\S+ agent: Hello\.\n$/)
  assert.match(shown.stderr, /^The conversation is open; you can reply until \S+\.\n$/)

  const written = await machine.run(['threads', 'write', desk.agent, contact, 'Until noon.'])
  assert.match(written.stdout, /^Queued in call_\w+\.\n$/)
  assert.deepEqual(await desk.texts(contact, 2), ['Hello.', 'Until noon.'])
  assert.equal((await machine.run(['threads', 'read', desk.agent, contact])).status, 0)
  assert.equal((await thread()).unread, 0)
})

test('templates are listed and sent with their variables, and a message that was not delivered says so', async (t) => {
  const { key } = await org.person('supervisor')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const desk = await messaging.newMessagingAgent()
  const contact = newContact()
  await desk.app()
  await desk.write(contact, 'Is there rye bread?')
  await desk.texts(contact, 1)
  const body = { type: 'BODY', text: 'Hello {{1}}, see you at {{2}}.' }
  messaging.platform.addTemplate(desk.line, { name: 'reminder', components: [body] })

  const listed = await machine.run(['threads', 'templates', desk.agent])
  assert.equal(listed.stdout, 'reminder\ten_US\tUTILITY\t1, 2\tHello {{1}}, see you at {{2}}.\n')
  const wrong = await machine.run(['threads', 'template', desk.agent, contact, 'reminder', 'Ana'])
  assert.match(wrong.stderr, /Ana is not a variable: write it as 1=Ana; svc threads templates lists them/)
  const sent = await machine.run([
    'threads',
    'template',
    desk.agent,
    contact,
    'reminder',
    '1=Ana',
    '2=half past one',
  ])
  assert.match(sent.stdout, /^Queued in call_\w+\.\n$/)
  const taken = await until('it is sent', () =>
    messaging.platform.sent.find(({ to, template }) => to === contact && template),
  )
  await desk.status(taken, 'failed', { errors: [{ code: 131026, title: 'Message undeliverable' }] })
  const shown = await machine.run(['threads', 'show', desk.agent, contact])
  assert.match(
    shown.stdout,
    /supervisor: Hello Ana, see you at half past one\.\n {2}not delivered: .*\(#131026\) Message undeliverable\n$/,
  )
})
