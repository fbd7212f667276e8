import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { KnowledgeDeployment, upload } from '@switchroom/gateway/testing/knowledge/knowledge-deployment'
import type { Page } from 'playwright-core'
import { assertFits, assertUsable, openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'

const knowledge = await KnowledgeDeployment.start()
after(() => knowledge[Symbol.asyncDispose]())
const { deployment } = knowledge
const { url } = deployment

const prices = '# Prices\n\nWashing costs 5 euro.\n\n## Drying\n\nDrying is free.\n'

/** Files dropped on the page's upload area, as from a file manager. */
async function drop(page: Page, files: Record<string, string>) {
  const area = page.getByRole('group', { name: 'Upload documents' })
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const [name, content] of Object.entries(${JSON.stringify(files)}))
      transfer.items.add(new File([content], name))
    return transfer
  })()`)
  await area.dispatchEvent('dragover', { dataTransfer })
  await area.dispatchEvent('drop', { dataTransfer })
}

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })

test('a base is created, filled by drag and drop, text and address, searched, changed and deleted', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/sandbox/knowledge')
  await page.getByText('No knowledge bases').waitFor()
  await page.getByRole('button', { name: 'Create base' }).click()
  const creating = page.getByRole('dialog', { name: 'Create base' })
  await creating.getByLabel('Name').fill('Not A Name')
  await creating.getByRole('button', { name: 'Create base' }).click()
  await creating.getByRole('alert').waitFor()
  await assertUsable(page)
  await creating.getByLabel('Name').fill('laundry')
  await creating.getByLabel('Description').fill('Prices and opening hours')
  await creating.getByRole('button', { name: 'Create base' }).click()
  await page.getByRole('heading', { name: 'laundry', level: 1 }).waitFor()
  await page.getByText('No documents').waitFor()

  await drop(page, { 'prices.md': prices, 'hours.txt': 'We open at eight.', 'tool.exe': 'MZ' })
  const uploads = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
  await uploads.filter({ hasText: 'prices.md' }).getByText('Uploaded', { exact: true }).waitFor()
  await uploads.filter({ hasText: 'tool.exe' }).getByText('does not say its format').waitFor()
  await row(page, 'prices.md').getByText('Ready').waitFor()
  await row(page, 'hours.txt').getByText('Ready').waitFor()
  await picture(page, 'knowledge-uploaded')
  await page.getByRole('button', { name: 'Clear finished' }).click()

  await page.getByRole('button', { name: 'Add text' }).click()
  const adding = page.getByRole('dialog', { name: 'Add text' })
  await adding.getByLabel('Name').fill('ironing.md')
  await adding.getByLabel('Text').fill('# Ironing\n\nIroning a shirt costs 3 euro.')
  await adding.getByRole('button', { name: 'Add text' }).click()
  await row(page, 'ironing.md').getByText('Ready').waitFor()

  await page.getByRole('button', { name: 'Add address' }).click()
  const address = page.getByRole('dialog', { name: 'Add address' })
  await address.getByLabel('Address').fill('ftp://example.com/private.html')
  await address.getByRole('button', { name: 'Add address' }).click()
  await address.getByRole('alert').waitFor()
  await address.getByLabel('Address').fill('https://nowhere.invalid/faq.html')
  await address.getByLabel('Name').fill('faq.html')
  await address.getByLabel('Fetch again').selectOption({ label: 'Every day' })
  await address.getByRole('button', { name: 'Add address' }).click()
  await row(page, 'faq.html').getByText('fetched every day').waitFor()
  await row(page, 'faq.html').getByRole('button', { name: 'Fetch again faq.html' }).waitFor()

  const started = page.waitForEvent('download')
  await row(page, 'prices.md').getByRole('button', { name: 'Download prices.md' }).click()
  const file = await started
  assert.equal(file.suggestedFilename(), 'prices.md')
  assert.equal(await readFile(await file.path(), 'utf8'), prices)

  await row(page, 'prices.md').getByRole('button', { name: 'Replace prices.md' }).click()
  const replacing = page.getByRole('dialog', { name: 'Replace prices.md' })
  const buffer = Buffer.from('# Prices\n\nWashing costs 6 euro now.\n')
  await replacing.getByLabel('File').setInputFiles({ name: 'other.md', mimeType: 'text/markdown', buffer })
  await replacing.getByRole('button', { name: 'Replace', exact: true }).click()
  await replacing.waitFor({ state: 'hidden' })
  // ready is also the old content, which searches find until the new one is read
  await row(page, 'prices.md').getByRole('cell', { name: '1', exact: true }).waitFor()

  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Question' }).fill('What does washing cost?')
  await page.keyboard.press('Enter')
  const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem')
  const found = passages.filter({ hasText: 'Washing costs 6 euro now.' })
  await found.locator('mark', { hasText: /washing/i }).waitFor()
  await found.getByText('Prices', { exact: true }).waitFor()
  await found.getByRole('meter', { name: 'Score' }).waitFor()
  await assertUsable(page)
  await picture(page, 'knowledge-search')
  await page.getByRole('searchbox', { name: 'Question' }).fill('zebra')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('Nothing found').waitFor()

  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await row(page, 'hours.txt').getByRole('button', { name: 'Delete hours.txt' }).click()
  await row(page, 'hours.txt').getByRole('button', { name: 'Yes, delete' }).click()
  await row(page, 'hours.txt').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Details', exact: true }).click()
  await page.getByRole('button', { name: 'Edit base' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit base' })
  await editing.getByLabel('Description').fill('What it costs')
  await editing.getByRole('button', { name: 'Save' }).click()
  await page.getByText('What it costs').waitFor()
  await page.getByRole('button', { name: 'Delete base' }).click()
  await page.getByRole('button', { name: 'Yes, delete it with its documents' }).click()
  await page.getByText('No knowledge bases').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('an agent’s settings choose a base with how it is used, the base says which agents use it, and one that is gone is named', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  const { name, client } = await knowledge.newBase(org)
  await new SpokenAgent(deployment, org, 'laundry-agent').route()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/sandbox/agents/laundry-agent/settings')
  const bases = page.getByRole('group', { name: 'Knowledge bases' })
  await bases.getByRole('button', { name: 'Add base' }).click()
  const chosen = bases.getByRole('group', { name })
  await chosen.getByLabel('Mode').selectOption({ label: 'As a tool' })
  await chosen.getByLabel('Passages').fill('3')
  await chosen.getByLabel('Minimum score').pressSequentially('0.25')
  assert.equal(await chosen.getByLabel('Minimum score').inputValue(), '0.25')
  await assertUsable(page)
  await picture(page, 'knowledge-settings')
  await page.getByRole('button', { name: 'Save change' }).click()
  await page.getByText('Saved. The next call uses it.').waitFor()
  await page.goto('/sandbox/knowledge')
  await row(page, name).getByRole('link', { name: 'laundry-agent' }).waitFor()
  done(await client.send('DELETE', `/v1/bases/${name}`))
  await page.goto('/sandbox/agents/laundry-agent/settings')
  await page.getByText(`There is no base ${name} in sandbox. Create it, or choose another.`).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a call shows what was looked up and where it was found, and its base what it had nothing for', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  const { name } = await knowledge.newBase(org)
  const spoken = await new SpokenAgent(deployment, org, 'asking-agent').route()
  await spoken.holdingApp()
  const call = await spoken.open()
  const found = (query: string, more: object) => ({
    type: 'knowledge.found',
    data: {
      base: name,
      mode: 'auto',
      query,
      passages: [],
      best_score: 0.2,
      ms: 12,
      waited_ms: 12,
      late: false,
      error: null,
      ...more,
    },
  })
  const passage = { chunk: 'c', document: 'd', name: 'prices.md', heading: ['Prices', 'Drying'], score: 0.81 }
  done(
    await spoken.append(call, [
      { type: 'user.message', data: { text: 'Is drying free?', messageId: 'msg_1' } },
      found('Is drying free?', { passages: [passage], best_score: 0.81 }),
      { type: 'agent.message', data: { text: 'It is.', messageId: 'msg_2', source: 'model' } },
      {
        type: 'metrics',
        data: {
          stage: 'turn',
          messageId: 'msg_2',
          transcript_ms: 100,
          turn_end_ms: 300,
          first_token_ms: 600,
          first_audio_ms: 800,
          heard_ms: 900,
        },
      },
      { type: 'user.message', data: { text: 'Do you repair zips?', messageId: 'msg_3' } },
      found('Do you repair zips?', {}),
      found('Do you repair zips?', { late: true }),
    ]),
  )
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/sandbox/knowledge/${name}/missed`)
  const missed = row(page, 'Do you repair zips')
  await missed.getByText('0.20').waitFor()
  await assertUsable(page)
  await picture(page, 'knowledge-missed')
  await missed.getByRole('link', { name: /^Call/ }).click()
  const conversation = page.getByRole('list', { name: 'Conversation' })
  await conversation.getByText('1 passage').click()
  await conversation.getByText('prices.md › Prices › Drying').waitFor()
  await conversation.getByText('Nothing found').waitFor()
  await conversation.getByText('Late', { exact: true }).waitFor()
  await conversation.getByText('Latency 900 ms').click()
  await conversation.getByText(`Knowledge ${name}`).last().waitFor()
  await assertUsable(page)
  await picture(page, 'knowledge-call')
  assert.deepEqual(opened.broken, [])
})

test('the pages of knowledge are usable by everybody, empty, as usual and overflowing', async () => {
  const { key } = await (await deployment.newOrg()).person('admin')
  const text = (words: string) => (page: Page) => page.getByText(words).first().waitFor()
  await assertGood(
    { url, key },
    { path: '/sandbox/knowledge', name: 'knowledge-empty', ready: text('No knowledge bases') },
  )
  const org = await deployment.newOrg()
  const full = await org.person('admin')
  const { name, client, base } = await knowledge.newBase(org, { description: 'What it costs. '.repeat(30) })
  const long = `${'very-long-name-'.repeat(10)}.md`
  done(await upload(client, 'POST', `${base}/documents`, { [long]: prices, 'broken.pdf': 'no PDF' }))
  for (let n = 0; n < 3; n += 1) await knowledge.newBase(org)
  await assertGood(
    { url, key: full.key },
    { path: '/sandbox/knowledge', name: 'knowledge-bases', ready: text(name) },
    { path: `/sandbox/knowledge/${name}`, name: 'knowledge-documents', ready: text('Failed') },
    {
      path: `/sandbox/knowledge/${name}/search`,
      name: 'knowledge-search-empty',
      ready: text('What an agent would find'),
    },
    {
      path: `/sandbox/knowledge/${name}/missed`,
      name: 'knowledge-missed-empty',
      ready: text('Nothing was asked in vain'),
    },
    {
      path: `/sandbox/knowledge/${name}/details`,
      name: 'knowledge-details',
      ready: text('Found in each document'),
    },
  )
  await using opened = await openPage({ url, key: full.key, width: 1920 })
  await opened.page.goto(`/sandbox/knowledge/${name}`)
  await opened.page.getByText('Failed').waitFor()
  await assertFits(opened.page)
  await picture(opened.page, 'knowledge-documents')
})
