import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { changeRow, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'

const house = await startChatDeployment()
after(() => house[Symbol.asyncDispose]())
const { deployment } = house
const { url } = deployment

test('an agent’s settings say where each comes from, a refusal stands beside its field, and an old version is brought back', async () => {
  const { slug } = await house.newAgent()
  const { key } = await house.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByLabel('End-of-turn threshold', { exact: true }).fill('0.95')
  await page.getByRole('button', { name: 'Save the change' }).click()
  const field = page.locator('.field', { has: page.getByLabel('End-of-turn threshold', { exact: true }) })
  await field.getByRole('alert').waitFor()
  await picture(page, 'settings-refused')
  await page.getByRole('button', { name: 'Undo' }).click()
  for (const seconds of ['60', '90']) {
    await page.getByLabel('Longest call in seconds').fill(seconds)
    await page.getByRole('button', { name: 'Save the change' }).click()
    await page.getByRole('button', { name: 'Nothing changed' }).waitFor()
  }
  await page.getByText('Yours is at version 2.').waitFor()
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('button', { name: 'What changed in version 2' }).click()
  await page.getByRole('dialog').locator('del', { hasText: '60' }).waitFor()
  await assertUsable(page)
  await picture(page, 'history-diff')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'What changed in version 1' }).click()
  await page.getByRole('button', { name: 'Roll back to version 1' }).click()
  await page.getByText('rollback to v1').waitFor()

  await page.getByRole('link', { name: 'Canary', exact: true }).click()
  await page.getByLabel('Calls in a hundred').fill('25')
  await page.getByRole('button', { name: 'Start the canary' }).click()
  await page.getByText('Version 3 runs on 25 calls in a hundred, version 2 on the rest.').waitFor()
  await page.getByRole('row', { name: /Version 3/ }).waitFor()
  await assertUsable(page)
  await picture(page, 'canary-standing')
  assert.deepEqual(opened.broken, [])
})

test('a refusal about a knob that is folded away opens what it is in, and one that names no knob stands beside Save', async () => {
  const { slug } = await house.newAgent()
  const { key, client } = await house.org.person('admin')
  await using opened = await openPage({ url, key, width: 360 })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByText('For experts').click()
  await page.getByLabel('Class of the judge').fill('no such class')
  await page.getByText('For experts').click()
  await page.getByLabel('Class of the judge').waitFor({ state: 'hidden' })
  const save = page.getByRole('button', { name: 'Save the change' })
  await save.click()
  await page
    .locator('.field', { has: page.getByLabel('Class of the judge') })
    .getByRole('alert')
    .waitFor()
  assert.ok(await page.getByText('Nothing was kept.').isVisible())
  await assertFits(page)
  await page.getByRole('button', { name: 'Undo' }).click()

  done(
    await client
      .in('sandbox')
      .put(`/v1/agents/${slug}/settings`, { config: { record: true }, if_version: 0 }),
  )
  await page.getByLabel('Longest call in seconds').fill('60')
  await page.getByLabel('Temperature').fill('0.5')
  await page.getByRole('button', { name: 'Save 2 changes' }).click()
  const [sentence, shown] = [
    await client.in('sandbox').put(`/v1/agents/${slug}/settings`, { config: {}, if_version: 0 }),
    page.getByRole('region', { name: 'Save' }).getByRole('alert'),
  ]
  await shown.getByText(sentence.body.detail).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a lexicon is saved: what the voice says in place of a word, and what the ears must know', async () => {
  const { slug } = await house.newAgent()
  const { key, client } = await house.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/lexicon`)
  await page.getByText('Nothing is set here yet.').waitFor()
  await page.getByRole('button', { name: 'Add a word' }).click()
  await page.getByLabel('Written').fill('Nguyen')
  await page.getByLabel('Said', { exact: true }).fill('win')
  await page.getByLabel('Words').fill('sourdough\n\n  rye  ')
  await picture(page, 'lexicon-filled')
  await page.getByRole('button', { name: 'Save the lexicon' }).click()
  await page.getByText('Yours is at version 1.').waitFor()
  const { yours } = done(await client.in('sandbox').get(`/v1/agents/${slug}/lexicon`))
  assert.deepEqual(yours.lexicon, { said: [{ word: 'Nguyen', spoken: 'win' }], heard: ['sourdough', 'rye'] })

  await page.getByRole('button', { name: 'Add a word' }).click()
  await page.getByRole('button', { name: 'Save the lexicon' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Remove this word' }).click()
  await page.getByRole('button', { name: 'Remove Nguyen' }).click()
  await page.getByRole('button', { name: 'Save the lexicon' }).click()
  await page.getByText('Yours is at version 2.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a voice is heard before it is taken, and taken with one press', async (t) => {
  const speech = await startSpeechFake()
  t.after(() => speech.stop())
  await changeRow(deployment, (row) => {
    row.options['tts/openai'] = { base_url: speech.url }
  })
  const { slug } = await house.newAgent()
  const { key, client } = await house.org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/voices`)
  await page.getByLabel('Vendor').selectOption('openai')
  await page.getByLabel('Words to say').fill('Good morning.')
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
  await row.getByText('in use').waitFor()
  const { yours } = done(await client.in('sandbox').get(`/v1/agents/${slug}/settings`))
  assert.deepEqual(yours.config, { tts: 'openai', voice: 'coral' })
  await assertUsable(page)
  assert.deepEqual(opened.broken, [])
})
