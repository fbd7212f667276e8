import assert from 'node:assert/strict'
import { after } from 'node:test'
import {
  endpointKey,
  startEndpointDeployment,
} from '@switchroom/gateway/testing/providers/endpoint-deployment'
import { assertUsable, openPage, picture, test } from './browser.ts'

const endpoints = await startEndpointDeployment()
after(() => endpoints[Symbol.asyncDispose]())
const { deployment, fake } = endpoints

test('an admin adds a model endpoint, reads what it answers, tries, edits and deletes it', async () => {
  const { key } = await (await deployment.newOrg()).person('admin')
  await using opened = await openPage({ url: deployment.url, key })
  const { page } = opened
  await page.goto('/provider-keys')
  await page.getByRole('row', { name: /^openai/ }).waitFor()
  assert.equal(await page.getByRole('row', { name: /^custom/ }).count(), 0)
  await page.getByRole('link', { name: 'Model endpoints' }).click()
  await page.getByText('No model endpoints').waitFor()
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const adding = page.getByRole('dialog', { name: 'Add endpoint' })
  await adding.getByLabel('Name').fill('llama')
  await adding.getByLabel('Base URL').fill(fake.url)
  await adding.getByLabel('Model').fill('nosuch')
  await adding.getByLabel('Key').fill(endpointKey)
  await adding.getByRole('button', { name: 'Try and save' }).click()
  await adding.getByRole('alert').getByText('The model `nosuch` does not exist').waitFor()
  await assertUsable(page)
  await picture(page, 'model-endpoint-refused')
  await adding.getByLabel('Model').fill('llama-3.3')
  await adding.getByRole('button', { name: 'Try and save' }).click()
  await page.getByText('custom/llama answered and was saved.').waitFor()
  const row = page.getByRole('row', { name: /custom\/llama/ })
  await row.getByText(fake.url).waitFor()
  await row.getByRole('button', { name: 'Try llama' }).click()
  await page.getByText(/custom\/llama answered after \d+ ms\./).waitFor()
  await row.getByRole('button', { name: 'Edit llama' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit llama' })
  await editing.getByLabel('API', { exact: true }).selectOption('responses')
  await editing.getByRole('button', { name: 'Try and save' }).click()
  await row.getByText('Responses').waitFor()
  await assertUsable(page)
  await picture(page, 'model-endpoints')
  await row.getByRole('button', { name: 'Delete llama' }).click()
  await row.getByRole('button', { name: 'Yes, delete llama' }).click()
  await page.getByText('No model endpoints').waitFor()
  assert.deepEqual(opened.broken, [])
})
