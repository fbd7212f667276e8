import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { password } from '@switchroom/gateway/testing/deployment'
import { until } from '@switchroom/gateway/testing/until'
import type { Page } from 'playwright-core'
import { openPage, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org } = chats
const { url, anonymous } = deployment

async function signInAs(page: Page, email: string, { isKept = false } = {}) {
  await page.goto('/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  if (isKept) await page.getByLabel('Keep me signed in').check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
}
const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`

test('a new tab is signed in like the others, signing out in one signs out all, and nothing of the key is left', async () => {
  const { email } = await org.person('admin')
  await using opened = await openPage({ url })
  const { page: first, context } = opened
  const second = await context.newPage()
  await second.goto('/calls')
  await second.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signInAs(first, email)
  await second.getByRole('heading', { name: 'Calls', level: 1 }).waitFor() // a tab that waited is signed in too
  const third = await context.newPage()
  await third.goto('/team')
  await third.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  const key = await third.evaluate<string>(`localStorage.getItem('svc.key')`)
  const cookies = await context.cookies()
  assert.ok(!JSON.stringify(cookies).includes(key), 'the key is in no cookie')

  await second.getByRole('button', { name: 'Sign out' }).click()
  for (const page of [first, second, third]) {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.doesNotMatch(await page.evaluate<string>(stored), /svc_live_/)
  }
  await until('the key is revoked', async () => (await anonymous.as(key).get('/v1/whoami')).status === 401)
})

test('a session ends with the browser unless it is to be kept', async () => {
  for (const isKept of [false, true]) {
    const { email } = await org.person('admin')
    await using opened = await openPage({ url })
    const { page, context } = opened
    await signInAs(page, email, { isKept })
    await page.close()
    await context.clearCookies() // as a browser does that closes
    const again = await context.newPage()
    await again.goto('/')
    await again.getByRole('heading', { name: isKept ? 'Agents' : 'Sign in', level: 1 }).waitFor()
    assert.equal(/svc_live_/.test(await again.evaluate<string>(stored)), isKept)
  }
})

test('a key that was pasted stays in its tab', async () => {
  const token = await org.serverToken('sandbox')
  await using opened = await openPage({ url })
  const { page, context } = opened
  await page.goto('/')
  await page.getByText('Sign in with a key').click()
  await page.getByLabel('Key').fill(token.key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  const other = await context.newPage()
  await other.goto('/')
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.ok(!(await other.evaluate<string>(stored)).includes(token.key))
})

test('a tab stays as it is when another signs in as somebody else, and follows once its own key ends', async () => {
  const ana = await org.person('admin')
  const other = await deployment.newOrg()
  const { code } = (await (await other.person('admin')).client.post('/v1/login/codes')).body
  await using opened = await openPage({ url })
  const { page: first, context } = opened
  await signInAs(first, ana.email)
  const older = await first.evaluate<string>(`localStorage.getItem('svc.key')`)
  const second = await context.newPage()
  await second.goto(`/?login=${code}`)
  await second.getByRole('button', { name: 'Sign in as A admin' }).click()
  await second.locator('.who').getByText(other.slug).waitFor()
  await first.getByRole('link', { name: 'Keys', exact: true }).click()
  await first.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await first.locator('.who').getByText(org.slug).waitFor() // nothing that was typed there is lost

  const { body } = await anonymous.as(older).get('/v1/whoami')
  assert.equal((await anonymous.as(older).post(`/v1/keys/${body.key_id}/revoke`)).status, 200)
  await first.getByRole('link', { name: 'Calls', exact: true }).click()
  await first.locator('.who').getByText(other.slug).waitFor()
  assert.deepEqual(opened.broken, [])
})
