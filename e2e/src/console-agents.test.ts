import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { changeRow, speakOverHttp, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment } = chats
const { url } = deployment

test('each setting of an agent shows its scope, a refusal is beside its field, and an old version is rolled back to', async () => {
  const { slug } = await chats.newAgent()
  const { key } = await chats.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByLabel('End-of-turn threshold', { exact: true }).fill('0.95')
  await page.getByRole('button', { name: 'Save change' }).click()
  const field = page.locator('.field', { has: page.getByLabel('End-of-turn threshold', { exact: true }) })
  await field.getByRole('alert').waitFor()
  await picture(page, 'settings-refused')
  await page.getByRole('button', { name: 'Undo' }).click()
  for (const seconds of ['60', '90']) {
    await page.getByLabel('Maximum call duration (seconds)').fill(seconds)
    await page.getByRole('button', { name: 'Save change' }).click()
    await page.getByRole('button', { name: 'No changes' }).waitFor()
  }
  await page.getByText('My draft: version 2.').waitFor()
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('button', { name: 'Show changes in version 2' }).click()
  await page.getByRole('dialog').locator('del', { hasText: '60' }).waitFor()
  await assertUsable(page)
  await picture(page, 'history-diff')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Show changes in version 1' }).click()
  await page.getByRole('button', { name: 'Roll back to version 1' }).click()
  await page.getByText('rollback to v1').waitFor()

  await page.getByRole('link', { name: 'Canary', exact: true }).click()
  await page.getByLabel('Share of calls').fill('25')
  await page.getByRole('button', { name: 'Start canary' }).click()
  await page.getByText('Version 3 runs on 25% of calls, version 2 on the rest.').waitFor()
  await page.getByRole('row', { name: /Version 3/ }).waitFor()
  await assertUsable(page)
  await picture(page, 'canary-running')
  assert.deepEqual(opened.broken, [])
})

test('a refusal of an advanced setting opens its section, and one that names no setting is beside Save', async () => {
  const { slug } = await chats.newAgent()
  const { key, client } = await chats.org.person('admin')
  await using opened = await openPage({ url, key, width: 360 })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Evaluation: implementation').fill('no such class')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Evaluation: implementation').waitFor({ state: 'hidden' })
  const save = page.getByRole('button', { name: 'Save change' })
  await save.click()
  await page
    .locator('.field', { has: page.getByLabel('Evaluation: implementation') })
    .getByRole('alert')
    .waitFor()
  assert.ok(await page.getByText('Nothing was saved.').isVisible())
  await assertFits(page)
  await page.getByRole('button', { name: 'Undo' }).click()

  done(
    await client
      .in('sandbox')
      .put(`/v1/agents/${slug}/settings`, { config: { record: true }, if_version: 0 }),
  )
  await page.getByLabel('Maximum call duration (seconds)').fill('60')
  await page.getByLabel('Temperature').fill('0.5')
  await page.getByRole('button', { name: 'Save 2 changes' }).click()
  const [sentence, shown] = [
    await client.in('sandbox').put(`/v1/agents/${slug}/settings`, { config: {}, if_version: 0 }),
    page.getByRole('region', { name: 'Save' }).getByRole('alert'),
  ]
  await shown.getByText(screenSentence(sentence.body.detail)).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a lexicon is saved: pronunciation and vocabulary', async () => {
  const { slug } = await chats.newAgent()
  const { key, client } = await chats.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/lexicon`)
  await page.getByText('Nothing saved yet.').waitFor()
  await page.getByRole('button', { name: 'Add word' }).click()
  await page.getByLabel('Word', { exact: true }).fill('Nguyen')
  await page.getByLabel('Say as').fill('win')
  await page.getByLabel('Words').fill('sourdough\n\n  rye  ')
  await picture(page, 'lexicon-filled')
  await page.getByRole('button', { name: 'Save lexicon' }).click()
  await page.getByText('My draft: version 1.').waitFor()
  const { yours } = done(await client.in('sandbox').get(`/v1/agents/${slug}/lexicon`))
  assert.deepEqual(yours.lexicon, { said: [{ word: 'Nguyen', spoken: 'win' }], heard: ['sourdough', 'rye'] })

  await page.getByRole('button', { name: 'Add word' }).click()
  await page.getByRole('button', { name: 'Save lexicon' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Remove this word' }).click()
  await page.getByRole('button', { name: 'Remove Nguyen' }).click()
  await page.getByRole('button', { name: 'Save lexicon' }).click()
  await page.getByText('My draft: version 2.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a voice is played before it is chosen, and chosen with one click', async (t) => {
  const speech = await startSpeechFake()
  t.after(() => speech.stop())
  await changeRow(deployment, (row) => {
    speakOverHttp(row, speech.url)
  })
  const { slug } = await chats.newAgent()
  const { key, client } = await chats.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/voices`)
  await page.getByLabel('Vendor').selectOption('openai')
  await page.getByLabel('Sample text').fill('Good morning.')
  const row = page.getByRole('row', { name: /coral/ })
  await page.evaluate(
    `document.addEventListener('ended', ({ target }) => (globalThis.heardS = target.duration), true)`,
  )
  await row.getByRole('button', { name: 'Play coral' }).click()
  const heardS = await until('it was heard to its end', () => page.evaluate<number>(`globalThis.heardS`))
  assert.equal(heardS, 0.3)
  const asked = JSON.parse(String(speech.seen.at(-1)?.body)) as { voice: string; input: string }
  assert.deepEqual([asked.voice, asked.input], ['coral', 'Good morning.'])
  await row.getByRole('button', { name: 'Use coral' }).click()
  await row.getByText('In use').waitFor()
  const { yours } = done(await client.in('sandbox').get(`/v1/agents/${slug}/settings`))
  assert.deepEqual(yours.config, { tts: 'openai', voice: 'coral' })
  await assertUsable(page)
  assert.deepEqual(opened.broken, [])
})
