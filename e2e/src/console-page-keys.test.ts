import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { assertUsable, openPage, picture, test } from './browser.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('a developer makes a publishable key, copies its snippet and revokes it', async () => {
  const { key } = await (await deployment.newOrg()).person('developer')
  await using opened = await openPage({ url: deployment.url, key })
  const { page } = opened
  await page.goto('/publishable-keys')
  await page.getByText('No publishable keys').waitFor()
  await page.getByRole('button', { name: 'Create publishable key' }).click()
  const making = page.getByRole('dialog', { name: 'Create publishable key' })
  await making.getByLabel('Label').fill('shop')
  await making.getByLabel('Agent').fill('hello')
  await making.getByLabel('Origins').fill('shop.example')
  await making.getByRole('button', { name: 'Create key' }).click()
  await making
    .getByRole('alert')
    .getByText(/^An origin is https:/)
    .waitFor()
  await assertUsable(page)
  await making.getByLabel('Origins').fill('https://shop.example, https://www.shop.example')
  await making.getByRole('button', { name: 'Create key' }).click()
  const snippet = page.getByRole('dialog', { name: 'Snippet for shop' })
  const text = (await snippet.locator('code').first().textContent()) ?? ''
  const made = /pk_[\w-]{43}/.exec(text)?.[0]
  assert.ok(made && text.includes(`${deployment.url}/embed/switchroom.js`), text)
  await snippet.getByRole('button', { name: 'Copy snippet' }).waitFor()
  await assertUsable(page)
  await picture(page, 'publishable-key')
  await snippet.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('row', { name: /shop/ }).getByRole('button', { name: 'Revoke shop' }).click()
  await page.getByRole('dialog', { name: 'Revoke this key?' }).getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('shop revoked.').waitFor()
  await page.getByText('No publishable keys').waitFor()
  const refusal = await deployment.anonymous
    .as(made)
    .with({ origin: 'https://shop.example' })
    .post('/v1/page/tokens', {})
  assert.equal(refusal.status, 401)
  assert.deepEqual(opened.broken, [])
})
