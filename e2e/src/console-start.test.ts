import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { Agent, connect } from '@switchroom/sdk'
import { assertFits, assertUsable, openPage, picture, startBrowser } from './browser.ts'
import { launch } from './launch.ts'

const browser = await startBrowser()
after(() => browser.close())

test('the first five minutes: start, open the link, choose a password, chat with the example agent, set a greeting and hear it used', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const deployment = await (await launch(t, { data })).untilReady()
  await using opened = await openPage(browser, { url: deployment.address })
  const { page, broken } = opened

  await page.goto(`${deployment.links[0]}`)
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor()
  await assertUsable(page)
  await picture(page, 'invitation')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Take my seat' }).click()
  await page.getByRole('alert').getByText('a password is at least 8 characters').waitFor()
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Take my seat' }).click()

  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  await page.getByRole('link', { name: 'hello', exact: true }).click()
  await page.getByRole('button', { name: 'Start a chat' }).click()
  const said = page.getByRole('log', { name: 'What was said' })
  await said.getByText('Hello! Ask me for the time, or leave a number to be called back.').waitFor()
  await page.getByLabel('Message').fill('What time is it?')
  await page.getByLabel('Message').press('Enter')
  await said.getByText('What time is it?').waitFor()
  await said.locator('.chat-line.agent:not(.waiting)').nth(1).waitFor()
  await assertUsable(page)
  await picture(page, 'chat')

  // Its own class declares the greeting, so the console shows whose it is and lets nobody change it.
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByText('From its class').first().waitFor()
  assert.ok(await page.getByLabel('Greeting', { exact: true }).isDisabled())

  const own = exampleKey(data)
  const app = connect({ url: deployment.address, key: own, app: 'bakery' })
  t.after(() => app.close())
  await app.hold(new Agent({ name: 'desk', prompt: 'You answer for a bakery.' }))
  await page.getByRole('link', { name: 'Agents', exact: true }).click()
  await page.getByRole('link', { name: 'desk', exact: true }).click()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Greeting', { exact: true }).selectOption('say')
  await page.getByLabel('What it says first').fill('Good morning, the bakery.')
  await page.getByRole('button', { name: 'Save the change' }).click()
  await page.getByText('Saved: the next call runs it.').waitFor()
  await page.getByText('From Yours').waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByRole('button', { name: 'Start a chat' }).click()
  await said.getByText('Good morning, the bakery.').waitFor()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('The conversation is over.').waitFor()
  await page.getByRole('link', { name: 'Its log' }).click()
  await page.getByText('Good morning, the bakery.').first().waitFor()
  await assertFits(page)
  assert.deepEqual(broken, [])
})

/** The key that the launcher made for the example, as the README has people use it. */
function exampleKey(data: string): string {
  const [, key = ''] = /^SVC_KEY=(.+)$/m.exec(readFileSync(join(data, 'example.env'), 'utf8')) ?? []
  return key
}
