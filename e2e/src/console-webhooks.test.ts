import assert from 'node:assert/strict'
import { after } from 'node:test'
import { receiverHost, startWebhookDeployment } from '@switchroom/gateway/testing/webhooks/webhook-deployment'
import { verified } from '@switchroom/gateway/testing/webhooks/webhook-receiver'
import { assertUsable, openPage, picture, test } from './browser.ts'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const { deployment, receiver } = webhooks

test('a developer adds a webhook, copies its secret once, tests it, reads the answer, sends it again, pauses and deletes it', async () => {
  const { key } = await (await deployment.newOrg()).person('developer')
  await using opened = await openPage({ url: deployment.url, key })
  const { page } = opened
  receiver.reply = () => ({ status: 200, text: 'taken with thanks' })
  await page.goto('/webhooks')
  await page.getByText('No webhooks').waitFor()
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const adding = page.getByRole('dialog', { name: 'Add webhook' })
  await adding.getByLabel('URL').fill('http://example.com')
  await adding.getByRole('button', { name: 'Create webhook' }).click()
  await adding.getByRole('alert').getByText('url: use https').waitFor()
  const url = receiver.at(receiverHost, '/console')
  await adding.getByLabel('URL').fill(url)
  await adding.getByLabel('Every event').click()
  await adding.getByLabel('number.bought').waitFor()
  await assertUsable(page)
  await adding.getByLabel('Every event').click()
  await adding.getByRole('button', { name: 'Create webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Signing secret' })
  const secret = await shown.locator('code').textContent()
  await shown.getByRole('button', { name: 'Close' }).click()

  const row = page.getByRole('row', { name: new RegExp(receiverHost) })
  await row.getByText('Active').waitFor()
  await row.getByRole('button', { name: `Test ${url}` }).click()
  const [event] = await receiver.events('/console')
  assert.ok(event)
  verified(secret ?? '', event)
  const delivery = page.getByRole('row', { name: /^webhook\.test/ })
  await delivery.getByText('Delivered').waitFor()
  await assertUsable(page)
  await picture(page, 'webhooks')
  await delivery.getByRole('button', { name: 'Show webhook.test' }).click()
  const detail = page.getByRole('dialog', { name: 'Delivery' })
  await detail.getByText('taken with thanks').waitFor()
  await detail.getByText('it tells of nothing that happened').waitFor()
  await assertUsable(page)
  await picture(page, 'webhook-delivery')
  await detail.getByRole('button', { name: 'Send again' }).click()
  assert.equal((await receiver.events('/console', 2)).at(-1)?.id, event.id)
  await detail.getByRole('button', { name: 'Close' }).click()

  await row.getByRole('button', { name: `Pause ${url}` }).click()
  await row.getByText('Paused').waitFor()
  await row.getByRole('button', { name: `Delete ${url}` }).click()
  await row.getByRole('button', { name: 'Yes, delete' }).click()
  await page.getByText('No webhooks').waitFor()
  assert.deepEqual(opened.broken, [])
})
