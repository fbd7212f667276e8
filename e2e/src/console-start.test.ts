import assert from 'node:assert/strict'
import { join } from 'node:path'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'
import { launch } from './launch.ts'

const greeting = 'Hello! Ask me for the time, or leave a number to be called back.'

test('the first five minutes: start, open the link, choose a password, chat with the example agent, change its greeting and see it used', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const deployment = await (await launch(t, { data })).untilReady()
  await using opened = await openPage({ url: deployment.address })
  const { page, broken } = opened

  await page.goto(`${deployment.links[0]}`)
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor()
  await assertUsable(page)
  await picture(page, 'invitation')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('alert').getByText('A password is at least 8 characters.').waitFor()
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/sandbox')
  await page.getByRole('link', { name: 'hello', exact: true }).click()
  await page.getByRole('button', { name: 'Start chat' }).click()
  const said = page.getByRole('log', { name: 'Transcript' })
  await said.getByText(greeting).waitFor()
  await page.getByLabel('Message').fill('What time is it?')
  await page.getByLabel('Message').press('Enter')
  await said.getByText('What time is it?').waitFor()
  await said.locator('.chat-line.agent:not(.waiting)').nth(1).waitFor()
  await assertUsable(page)
  await picture(page, 'chat')

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('button', { name: 'End chat and leave' }).click()
  await page.locator('.badge', { hasText: 'Team' }).waitFor()
  await page.getByLabel('Greeting', { exact: true }).selectOption('say')
  const words = page.getByLabel('Greeting text')
  assert.equal(await words.inputValue(), greeting)
  await words.fill('Good morning, this is hello.')
  await picture(page, 'greeting')
  await page.getByRole('button', { name: 'Save change' }).click()
  await page.locator('.badge', { hasText: 'My draft' }).waitFor()
  await page.getByText('My draft: version 1.').waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByRole('button', { name: 'Start chat' }).click()
  await said.getByText('Good morning, this is hello.').waitFor()
  await page.getByRole('button', { name: 'End chat' }).click()
  await page.getByText('The conversation has ended.').waitFor()
  await page.getByRole('link', { name: 'Call log' }).click()
  await page.getByText('Good morning, this is hello.').first().waitFor()
  await assertFits(page)
  assert.deepEqual(broken, [])
})
