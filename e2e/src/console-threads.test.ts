import assert from 'node:assert/strict'
import { after } from 'node:test'
import {
  newContact,
  startMessagingDeployment,
} from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org, model, platform } = messaging
const { url } = deployment
const { key, client } = await org.person('supervisor')

test('a person reads what came, answers it, takes the conversation over, writes while the model is quiet, and gives it back', async () => {
  const desk = await messaging.newMessagingAgent()
  const app = await desk.app()
  const contact = newContact()
  model.reply = () => 'We have rye.'
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/threads')
  await page.getByText('Nobody has written yet').waitFor()

  await desk.write(contact, 'Do you have bread?', { name: 'Berta' })
  await desk.texts(contact, 1)
  const inbox = page.getByRole('region', { name: 'Threads, newest first' })
  await inbox.getByText('1 unread').waitFor()
  await inbox.getByRole('link', { name: 'Berta' }).click()
  const said = page.getByRole('list', { name: 'Conversation' })
  await said.getByText('Do you have bread?').waitFor()
  await said.getByText('We have rye.').waitFor()
  await inbox.getByText('1 unread').waitFor({ state: 'detached' })
  const [thread] = done(await client.in('sandbox').get(`/v1/agents/${desk.agent}/threads`)).threads
  assert.equal(thread.unread, 0)

  const sent = Promise.withResolvers<void>()
  await page.route('**/messages', async (route) => {
    await sent.promise
    await route.continue()
  })
  await page.getByLabel('Write to Berta').fill('I keep one for you.')
  await page.keyboard.press('Control+Enter')
  await page.getByLabel('Write to Berta').fill('Typed while it went out')
  sent.resolve()
  await said.getByText('I keep one for you.').waitFor()
  assert.equal(await page.getByLabel('Write to Berta').inputValue(), 'Typed while it went out')
  await page.getByLabel('Write to Berta').fill('')
  assert.deepEqual(await desk.texts(contact, 2), ['We have rye.', 'I keep one for you.'])
  assert.equal(await page.getByLabel('Write to Berta').inputValue(), '')

  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByRole('button', { name: 'Give it back' }).waitFor()
  const asked = model.asked.length
  await desk.write(contact, 'Are you a person?', { name: 'Berta' })
  await said.getByText('Are you a person?').waitFor()
  await page.getByLabel('Write to Berta').fill('Yes, I am.')
  await page.getByRole('button', { name: 'Send' }).click()
  assert.equal((await desk.texts(contact, 3))[2], 'Yes, I am.')
  assert.equal(model.asked.length, asked, 'the model is not asked')
  await desk.write(contact, 'And is there coffee?', { name: 'Berta' })
  await said.getByText('And is there coffee?').waitFor()
  model.reply = () => 'The agent again.'
  await page.getByRole('button', { name: 'Give it back' }).click()
  await said.getByText('The agent again.').waitFor()
  await assertUsable(page)
  await picture(page, 'thread')
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('what waits for an app, what is refused, and a conversation that is over each say so where one would write', async () => {
  const desk = await messaging.newMessagingAgent()
  const contact = newContact()
  await desk.write(contact, 'Is anybody there?', { name: 'Carla' })
  const at = `/threads/${desk.agent}/${encodeURIComponent(contact)}`
  await using opened = await openPage({ url, key, width: 360, colours: 'dark' })
  const { page } = opened
  await page.goto(at)
  await page.getByText('What they wrote waits for an app that holds the agent.').waitFor()
  await assertFits(page)
  await assertUsable(page)
  await picture(page, 'thread-waiting')

  model.reply = () => 'Now somebody is.'
  const app = await desk.app()
  await desk.texts(contact, 1)
  await page.getByLabel('Write to Carla').fill('One moment.')
  platform.fault = () => ({ status: 400, message: 'no' })
  const call = await desk.call(contact)
  done(await client.in('sandbox').post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await page.getByRole('button', { name: 'Send' }).click()
  const sentence = `the conversation with ${contact} has ended: it opens again when they write`
  await page.getByRole('alert').getByText(sentence).waitFor()
  assert.equal(await page.getByLabel('Write to Carla').inputValue(), 'One moment.')
  await page.getByLabel('Write to Carla').fill('')
  await page.getByText('This conversation has ended. It opens again when they write.').waitFor()
  platform.fault = () => undefined
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('region', { name: 'Threads, newest first' }).getByText('Carla').waitFor()
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('whoever runs the team erases a person from their thread, and the thread is gone', async () => {
  const desk = await messaging.newMessagingAgent()
  const app = await desk.app()
  const contact = newContact()
  model.reply = () => 'Noted.'
  await desk.write(contact, 'Forget me.', { name: 'Dora' })
  await desk.texts(contact, 1)
  const admin = await org.person('admin')
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto(`/threads/${desk.agent}/${encodeURIComponent(contact)}?agent=${desk.agent}`)
  await page.getByRole('list', { name: 'Conversation' }).getByText('Forget me.').waitFor()
  await picture(page, 'thread-of-admin')
  await page.getByRole('button', { name: 'Erase this person' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('Nobody has written yet').waitFor()
  const { threads } = done(await admin.client.in('sandbox').get(`/v1/agents/${desk.agent}/threads`))
  assert.deepEqual(threads, [])
  assert.deepEqual(opened.broken, [])
  await app.close()
})

test('the inbox is narrowed to what is unread, to an agent and to words, and fits both widths', async () => {
  const desk = await messaging.newMessagingAgent()
  const app = await desk.app()
  model.reply = () => 'Noted.'
  const contacts = Array.from({ length: 30 }, newContact)
  for (const [at, contact] of contacts.entries())
    await desk.write(contact, `Message ${at}`, { name: `Person ${at}` })
  await until('everybody is answered', () =>
    contacts.every((contact) => platform.textsTo(contact).includes('Noted.')),
  )
  for (const [width, colours] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    await using opened = await openPage({ url, key, width, colours })
    const { page } = opened
    await page.goto(`/threads?agent=${desk.agent}`)
    const inbox = page.getByRole('region', { name: 'Threads, newest first' })
    await inbox.getByText('Person 29').waitFor()
    await assertFits(page)
    await assertUsable(page)
    await picture(page, 'inbox')
    await page.getByLabel('Search').fill('person 17')
    await inbox.getByText('Person 29').waitFor({ state: 'detached' })
    assert.equal(await inbox.getByRole('link').count(), 1)
    await page.getByLabel('Show').selectOption('Taken over')
    await page.getByText('No thread is like this').waitFor()
    await page.getByLabel('Show').selectOption('Unread')
    await inbox.getByText('Person 17').waitFor()
    assert.deepEqual(opened.broken, [])
  }
  await app.close()
})
