import assert from 'node:assert/strict'
import { after } from 'node:test'
import { AppClient } from '@switchroom/gateway/testing/agents/app-client'
import { ChatClient } from '@switchroom/gateway/testing/calls/chat-client'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { password } from '@switchroom/gateway/testing/deployment'
import { assertUsable, openPage, picture, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org } = chats
const { url } = deployment

/** A call of an agent that is connected in production. */
async function productionCall() {
  const { key } = await org.serverToken('production', { scopes: ['app', 'talk', 'calls'] })
  await (await AppClient.connect(url, key)).register('till')
  const chat = await ChatClient.connect(url, key, { agent: 'till' })
  const { call } = await chat.next('started')
  return call
}

test('every address begins with its environment; one of an older version gets it in front and keeps its filters', async () => {
  const { key } = await org.person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  const at = () => page.evaluate<string>(`location.pathname + location.search`)
  for (const [old, now] of [
    ['/', '/sandbox'],
    ['/calls?state=open', '/sandbox/calls?state=open'],
    ['/numbers/carriers', '/sandbox/numbers/carriers'],
    ['/platform/orgs', '/sandbox/platform/orgs'],
  ] as const) {
    await page.goto(old)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await at(), now)
  }
  await page.goto('/calls?state=open')
  await page.getByRole('radio', { name: 'Production' }).check()
  await page.getByLabel('State').waitFor()
  assert.equal(await at(), '/production/calls?state=open')
  assert.equal(await page.getByLabel('State').inputValue(), 'open')
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  assert.equal(await at(), '/production/team')
  await page.goBack()
  await page.goBack()
  await page.getByRole('radio', { name: 'Sandbox' }).and(page.locator(':checked')).waitFor()
  assert.equal(await at(), '/sandbox/calls?state=open')
  assert.deepEqual(opened.broken, [])
})

test('a shared link opens in its environment, also after signing in, and a call of the other environment leads there', async () => {
  const call = await productionCall()
  const { email } = await org.person('admin')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto(`/production/calls/${call}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText(call).waitFor()
  assert.equal(new URL(page.url()).pathname, `/production/calls/${call}`)

  await page.goto(`/sandbox/calls/${call}`)
  await page.getByText('This call is in production').waitFor()
  await assertUsable(page)
  await picture(page, 'call-elsewhere')
  await page.getByRole('link', { name: 'Switch to production' }).click()
  await details.getByText(call).waitFor()
  await page.locator('.frame.production').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a link into production says so to a person without access to it, and shows nothing of it', async () => {
  const call = await productionCall()
  const { key } = await org.person('developer')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/production/calls/${call}`)
  await page.getByRole('heading', { name: 'No access to production' }).waitFor()
  await assertUsable(page)
  await picture(page, 'no-production')
  await page.goto(`/sandbox/calls/${call}`)
  await page.getByRole('alert').getByText(`There is no call ${call}`).waitFor()
  assert.equal(await page.getByText('This call is in production').count(), 0)
  assert.deepEqual(opened.broken, [])
})

test('signing out in production starts the next sign-in in the sandbox', async () => {
  const { key, email } = await org.person('admin')
  await using opened = await openPage({ url, key, env: 'production' })
  const { page } = opened
  await page.goto('/team')
  await page.locator('.frame.production').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('.frame.sandbox').waitFor()
  assert.equal(new URL(page.url()).pathname, '/sandbox')
})
