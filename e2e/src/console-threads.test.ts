import assert from 'node:assert/strict'
import { after } from 'node:test'
import {
  newContact,
  startMessagingDeployment,
} from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org, model, platform } = messaging
const { url } = deployment
const { key, client } = await org.person('supervisor')

test('a supervisor reads a message, answers it, takes over, writes while the model does not answer, and returns the conversation', async () => {
  const channel = await messaging.newMessagingAgent()
  const app = await channel.app()
  const contact = newContact()
  model.reply = () => 'We have rye.'
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/threads')
  await page.getByText('No threads yet').waitFor()

  await channel.write(contact, 'Do you have bread?', { name: 'Berta' })
  await channel.texts(contact, 1)
  const inbox = page.getByRole('region', { name: 'Threads, newest first' })
  await inbox.getByText('1 unread').waitFor()
  await inbox.getByRole('link', { name: 'Berta' }).click()
  const said = page.getByRole('list', { name: 'Conversation' })
  await said.getByText('Do you have bread?').waitFor()
  await said.getByText('We have rye.').waitFor()
  await inbox.getByText('1 unread').waitFor({ state: 'detached' })
  const [thread] = done(await client.in('sandbox').get(`/v1/agents/${channel.agent}/threads`)).threads
  assert.equal(thread.unread, 0)

  const sent = Promise.withResolvers<void>()
  await page.route('**/messages', async (route) => {
    await sent.promise
    await route.continue()
  })
  await page.getByLabel('Message to Berta').fill('I keep one for you.')
  await page.keyboard.press('Control+Enter')
  await page.getByLabel('Message to Berta').fill('Typed while it went out')
  sent.resolve()
  await said.getByText('I keep one for you.').waitFor()
  assert.equal(await page.getByLabel('Message to Berta').inputValue(), 'Typed while it went out')
  await page.getByLabel('Message to Berta').fill('')
  assert.deepEqual(await channel.texts(contact, 2), ['We have rye.', 'I keep one for you.'])
  assert.equal(await page.getByLabel('Message to Berta').inputValue(), '')

  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByRole('button', { name: 'Return to agent' }).waitFor()
  const asked = model.asked.length
  await channel.write(contact, 'Are you a person?', { name: 'Berta' })
  await said.getByText('Are you a person?').waitFor()
  await page.getByLabel('Message to Berta').fill('Yes, I am.')
  await page.getByRole('button', { name: 'Send' }).click()
  assert.equal((await channel.texts(contact, 3))[2], 'Yes, I am.')
  assert.equal(model.asked.length, asked, 'the model is not asked')
  await channel.write(contact, 'And is there coffee?', { name: 'Berta' })
  await said.getByText('And is there coffee?').waitFor()
  model.reply = () => 'The agent again.'
  await page.getByRole('button', { name: 'Return to agent' }).click()
  await said.getByText('The agent again.').waitFor()
  await assertUsable(page)
  await picture(page, 'thread')
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('a message that waits for an app, a refused message and an ended conversation are explained above the message field', async () => {
  const channel = await messaging.newMessagingAgent()
  const contact = newContact()
  await channel.write(contact, 'Is anyone there?', { name: 'Carla' })
  const at = `/threads/${channel.agent}/${encodeURIComponent(contact)}`
  await using opened = await openPage({ url, key, width: 360, colours: 'dark' })
  const { page } = opened
  await page.goto(at)
  await page.getByText('Their message is waiting: no app is connected to the agent.').waitFor()
  await assertFits(page)
  await assertUsable(page)
  await picture(page, 'thread-waiting')

  model.reply = () => 'Yes, I am here.'
  const app = await channel.app()
  await channel.texts(contact, 1)
  await page.getByLabel('Message to Carla').fill('One moment.')
  platform.fault = () => ({ status: 400, message: 'no' })
  const call = await channel.call(contact)
  done(await client.in('sandbox').post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await page.getByRole('button', { name: 'Send' }).click()
  const sentence = `the conversation with ${contact} has ended: send a template, or wait until they write`
  await page.getByRole('alert').getByText(screenSentence(sentence)).waitFor()
  assert.equal(await page.getByLabel('Message to Carla').inputValue(), 'One moment.')
  await page.getByLabel('Message to Carla').fill('')
  await page.getByText('This conversation has ended. Send a template, or wait until they write.').waitFor()
  platform.fault = () => undefined
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('region', { name: 'Threads, newest first' }).getByText('Carla').waitFor()
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('a supervisor sends a template after the conversation has ended, and sees that it was not delivered', async () => {
  const channel = await messaging.newMessagingAgent()
  const app = await channel.app()
  const contact = newContact()
  model.reply = () => 'Noted.'
  await channel.write(contact, 'See you tomorrow.', { name: 'Elsa' })
  await channel.texts(contact, 1)
  const call = await channel.call(contact)
  done(await client.in('sandbox').post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  const body = { type: 'BODY', text: 'Hello {{1}}, see you at {{2}}.' }
  platform.addTemplate(channel.line, { name: 'reminder', components: [body] })
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/threads/${channel.agent}/${encodeURIComponent(contact)}`)
  await page.getByRole('button', { name: 'Use template' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send a template to Elsa' })
  await dialog.getByLabel('Variable 1').fill('Elsa')
  assert.equal(await dialog.getByRole('button', { name: 'Send' }).isDisabled(), true)
  await dialog.getByLabel('Variable 2').fill('noon')
  await dialog.getByText('Hello Elsa, see you at noon.').waitFor()
  await assertUsable(page)
  await picture(page, 'thread-template')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const said = page.getByRole('list', { name: 'Conversation' })
  await said.getByText('Hello Elsa, see you at noon.').waitFor()
  const sent = await until('it is sent', () =>
    platform.sent.find(({ to, template }) => to === contact && template),
  )
  await channel.status(sent, 'failed', { errors: [{ code: 131026, title: 'Message undeliverable' }] })
  await said.getByText('(#131026) Message undeliverable').waitFor()
  await page.getByRole('region', { name: 'Threads, newest first' }).getByText('Not delivered').waitFor()
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('an admin erases a contact from their thread, and the thread is gone', async () => {
  const channel = await messaging.newMessagingAgent()
  const app = await channel.app()
  const contact = newContact()
  model.reply = () => 'Noted.'
  await channel.write(contact, 'Forget me.', { name: 'Dora' })
  await channel.texts(contact, 1)
  const admin = await org.person('admin')
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto(`/threads/${channel.agent}/${encodeURIComponent(contact)}?agent=${channel.agent}`)
  await page.getByRole('list', { name: 'Conversation' }).getByText('Forget me.').waitFor()
  await picture(page, 'thread-of-admin')
  await page.getByRole('button', { name: 'Erase contact' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase permanently' }).click()
  await page.getByText('No threads yet').waitFor()
  const { threads } = done(await admin.client.in('sandbox').get(`/v1/agents/${channel.agent}/threads`))
  assert.deepEqual(threads, [])
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('the inbox is filtered by unread, agent and text, and fits both widths', async () => {
  const channel = await messaging.newMessagingAgent()
  const app = await channel.app()
  model.reply = () => 'Noted.'
  const contacts = Array.from({ length: 30 }, newContact)
  for (const [at, contact] of contacts.entries())
    await channel.write(contact, `Message ${at}`, { name: `Person ${at}` })
  await until('everyone is answered', () =>
    contacts.every((contact) => platform.textsTo(contact).includes('Noted.')),
  )
  for (const [width, colours] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    await using opened = await openPage({ url, key, width, colours })
    const { page } = opened
    await page.goto(`/threads?agent=${channel.agent}`)
    const inbox = page.getByRole('region', { name: 'Threads, newest first' })
    await inbox.getByText('Person 29').waitFor()
    await assertFits(page)
    await assertUsable(page)
    await picture(page, 'inbox')
    await page.getByLabel('Search').fill('person 17')
    await inbox.getByText('Person 29').waitFor({ state: 'detached' })
    assert.equal(await inbox.getByRole('link').count(), 1)
    await page.getByLabel('Show').selectOption('Taken over')
    await page.getByText('No matching threads').waitFor()
    await page.getByLabel('Show').selectOption('Unread')
    await inbox.getByText('Person 17').waitFor()
    assert.deepEqual(opened.broken, [])
  }
  await app.close()
})
