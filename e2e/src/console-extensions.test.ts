import assert from 'node:assert/strict'
import { after } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { openPage, test } from './browser.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())

test('an extension of a SIP peer is imported in the console, the account gets a list of those that agents may dial, and the check of a dial knows them', async () => {
  const org = await deployment.newOrg()
  const { key, client } = await org.person('admin')
  const peer = { username: 'pbx', password: 'a word', addresses: ['8.8.8.7'], outbound_host: '8.8.8.7' }
  done(await client.put('/v1/carrier', peer))
  await using opened = await openPage({ url: deployment.url, key })
  const { page } = opened
  await page.goto('/numbers/import')
  await page.getByLabel('Number', { exact: true }).fill('201')
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('list', { name: 'Planned changes' }).getByText('route 201@pbx to desk').waitFor()
  await page.getByRole('button', { name: 'Import number' }).click()
  await page.getByRole('heading', { name: '201@pbx', exact: true }).waitFor()
  await page.getByText('no network it comes from is approved: 8.8.8.7 is waiting').waitFor()

  await page.goto('/numbers/carriers')
  await page.getByRole('button', { name: 'Edit pbx' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Outbound calls').click()
  await dialog.getByLabel('Extensions that agents may dial').fill('100-199, 8000')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { sip } = done(await client.get('/v1/carrier'))
  assert.deepEqual(sip.dial_extensions, ['100-199', '8000'])

  await page.goto('/numbers/dial')
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByLabel('Call', { exact: true }).fill('911')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('911@pbx cannot be dialled: it is an emergency number').first().waitFor()
  await page.getByLabel('Call', { exact: true }).fill('105')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('no app holds desk in sandbox').first().waitFor()
  assert.deepEqual(opened.broken, [])
})
