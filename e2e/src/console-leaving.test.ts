import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { cuttableLine } from '@switchroom/gateway/testing/cuttable-line'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { assertUsable, openPage, picture, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model } = chats
const { url } = deployment
const { key, client } = await org.person('admin')

test('unsaved settings are asked about before a link, another environment, another scope and signing out take them away', async () => {
  const { slug } = await chats.newAgent()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/agents')
  await page.getByRole('link', { name: slug }).click()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const temperature = page.getByLabel('Temperature')
  await temperature.fill('0.4')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  const stay = async () => {
    await dialog.getByText('Your changes on this page are not saved.').waitFor()
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await temperature.inputValue(), '0.4')
    assert.equal(new URL(page.url()).pathname, `/sandbox/agents/${slug}/settings`)
  }
  await page.getByRole('link', { name: 'Calls', exact: true }).click()
  await assertUsable(page)
  await picture(page, 'leaving')
  await stay()
  await page.getByRole('radio', { name: 'Production' }).click()
  await stay()
  await page.getByLabel('Scope').selectOption('Team')
  await stay()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await stay()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await dialog.getByRole('button', { name: 'Leave without saving' }).click()
  await page.getByRole('button', { name: 'Start chat' }).waitFor()

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await temperature.fill('0.4')
  await page.getByRole('button', { name: 'Save change' }).click()
  await page.getByText('Saved. The next call uses it.').waitFor()
  await page.getByRole('link', { name: 'Calls', exact: true }).click() // nothing is left to lose
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a running chat is asked about before its page is left, and an ended one is not', async () => {
  model.reply = () => 'We have rye.'
  const { slug } = await chats.newAgent()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  await page.getByLabel('Message').fill('one')
  await page.getByLabel('Message').press('Enter')
  await page.getByText('We have rye.').waitFor()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'End this chat?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'End chat' }).click()
  await page.getByText('The conversation has ended.').waitFor()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a transcript follows the newest words, unless the reader scrolled up', async () => {
  model.reply = ({ messages }) => `${'A long answer. '.repeat(40)} Number ${messages.length}.`
  const { slug } = await chats.newAgent()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  const say = async (text: string) => {
    const before = await page.getByText('Number').count()
    await page.getByLabel('Message').fill(text)
    await page.getByLabel('Message').press('Enter')
    await page.getByText('Number').nth(before).waitFor()
  }
  const place = () =>
    page.evaluate<[number, number]>(`(() => {
      const log = document.querySelector('.chat-lines')
      return [log.scrollTop, log.scrollHeight - log.clientHeight - log.scrollTop]
    })()`)
  for (const text of ['one', 'two', 'three']) await say(text)
  assert.ok((await place())[1] < 5, 'at its end')
  await page.evaluate(`document.querySelector('.chat-lines').scrollTo(0, 0)`)
  await say('four')
  assert.equal((await place())[0], 0, 'it stays where the reader is')
  assert.deepEqual(opened.broken, [])
})

test('while the gateway is gone a banner says what is stale, a chat claims no answer, and everything comes back by itself', async () => {
  const held = Promise.withResolvers<string>()
  model.reply = () => held.promise
  const { slug } = await chats.newAgent()
  using line = await cuttableLine(url)
  await using opened = await openPage({ url: line.url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  await page.getByLabel('Message').fill('one')
  await page.getByLabel('Message').press('Enter')
  const answering = page.getByText(`${slug} is answering…`)
  await answering.waitFor()
  let isGone = true
  await page.route('**/*', (route) => (isGone ? route.abort() : route.continue()))
  await page.routeWebSocket(/\/v1\/chat/, (socket) => {
    if (isGone) void socket.close()
    else socket.connectToServer()
  })
  line.cut()
  const banner = page.getByRole('alert').getByText('No connection to the gateway.')
  await banner.waitFor()
  await answering.waitFor({ state: 'detached' })
  await page.getByText('The chat connects again by itself').waitFor()
  await assertUsable(page)
  await picture(page, 'outage')
  isGone = false
  await banner.waitFor({ state: 'detached' })
  held.resolve('We have rye.')
  await page.getByText('We have rye.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('rolling back shows what it changes, and says which version has the settings then', async () => {
  const { slug } = await chats.newAgent()
  const theirs = client.in('sandbox')
  for (const [version, temperature] of [0.1, 0.2, 0.3].entries())
    done(await theirs.put(`/v1/agents/${slug}/settings`, { config: { temperature }, if_version: version }))
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/history`)
  await page.getByRole('button', { name: 'Show changes in version 1' }).click()
  const dialog = page.getByRole('dialog', { name: 'Version 1' })
  await dialog.getByText('Rolling back changes').waitFor()
  assert.deepEqual(await dialog.locator('del').allTextContents(), ['not set', '0.3'])
  await dialog.getByText('It saves these settings as version 4').waitFor()
  await assertUsable(page)
  await picture(page, 'roll-back')
  await dialog.getByRole('button', { name: 'Roll back to version 1' }).click()
  await page.getByText('Version 4 has the settings of version 1.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a member who works on one agent sees that agent and its calls alone', async () => {
  const [mine, other] = [await chats.newAgent(), await chats.newAgent()]
  const [own, foreign] = [await mine.chat(), await other.chat()]
  const { key: narrowed } = await org.person('developer', { agents: [mine.slug] })
  await using opened = await openPage({ url, key: narrowed })
  const { page } = opened
  await page.goto('/agents')
  await page.getByRole('link', { name: mine.slug }).waitFor()
  assert.equal(await page.getByRole('link', { name: other.slug }).count(), 0)
  for (const path of ['/calls', '/calls/live']) {
    await page.goto(path)
    await page.getByText(`with ${mine.slug}`).first().waitFor()
    assert.equal(await page.getByText(`with ${other.slug}`).count(), 0, path)
  }
  for (const chat of [own, foreign]) chat.send({ type: 'end' })
  assert.deepEqual(opened.broken, [])
})

test('Escape closes the menu of a phone, a dialog begins in its first field, and disabling a member asks', async () => {
  const { email } = await org.person('qa')
  await using opened = await openPage({ url, key, width: 360 })
  const { page } = opened
  await page.goto('/team')
  await page.getByRole('button', { name: 'Menu' }).click()
  const link = page.getByRole('link', { name: 'Keys', exact: true })
  await link.waitFor()
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'hidden' })
  assert.equal(await page.getByRole('button', { name: 'Menu' }).getAttribute('aria-expanded'), 'false')

  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: email }).getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await dialog.getByRole('button', { name: 'Yes, disable' }).click()
  await page.getByText('All their keys are revoked.').waitFor()
  assert.match(await page.title(), /^Team · Switchroom$/)
  assert.deepEqual(opened.broken, [])
})
