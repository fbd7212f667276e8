import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { password } from '@switchroom/gateway/testing/deployment'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { startMailServer } from '@switchroom/gateway/testing/mail/mail-server'
import { until } from '@switchroom/gateway/testing/until'
import type { Page } from 'playwright-core'
import { openPage, picture, test } from './browser.ts'
import { assertGood, type GoodPage } from './good-pages.ts'

const mail = await startMailServer()
const chats = await startChatDeployment({
  SVC_SIGNUP: 'yes',
  SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'Switchroom <post@switchroom.test>',
})
after(async () => {
  await chats[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { url } = chats.deployment
const { slug } = await chats.newAgent()
const { key } = await chats.org.person('admin', { operator: true })

const entryPages = ['/', '/sign-up', '/forgotten-password', '/invitations/x', '/cli', '/cli?c=cli_x']
const screens = [
  '/agents',
  ...['', '/voice', '/settings', '/history', '/canary', '/lexicon'].map((part) => `/agents/${slug}${part}`),
  '/team',
  '/keys',
  '/publishable-keys',
  '/provider-keys',
  '/model-endpoints',
  '/webhooks',
  '/judging',
  '/single-sign-on',
  '/mailbox',
  '/audit',
  '/platform/orgs',
  `/platform/orgs/${chats.org.slug}`,
  '/platform/brand',
  '/platform/mail',
  '/platform/providers',
  '/platform/route-number',
  '/platform/retention',
  '/platform/audit',
  '/platform/nowhere',
]

const onceLoaded = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.progress').first().waitFor({ state: 'detached' })
}
const shown = (paths: readonly string[]): GoodPage[] =>
  paths.map((path) => ({ path, name: path.replaceAll(/\W+/g, '-'), ready: onceLoaded }))

test('every page before sign-in fits a phone and a wide screen in light and dark, and is accessible', () =>
  assertGood({ url }, ...shown(entryPages)))

test('every screen fits a phone and a wide screen in light and dark, and is accessible', () =>
  assertGood({ url, key }, ...shown(screens), {
    path: `/agents/${slug}/voices`,
    name: 'voices',
    async ready(page) {
      await page.getByLabel('Language').fill('en-us') // a hundred rows would look the same
      await page.getByRole('row').nth(9).waitFor({ state: 'detached' })
      await page.getByRole('row').nth(1).waitFor()
    },
  }))

test('at 360 px the navigation is behind its button, and the environment stays visible', async () => {
  await using opened = await openPage({ url, width: 360, key })
  const { page } = opened
  await page.goto('/agents')
  await page.getByText('Sandbox').waitFor()
  await page.getByRole('button', { name: 'Menu' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Team', exact: true }).isVisible(), false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Team', exact: true }).waitFor({ state: 'hidden' })
})

test('the first load is under 250 KB on the wire', async () => {
  await using opened = await openPage({ url, key })
  const { page, context } = opened
  const devtools = await context.newCDPSession(page)
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await devtools.send('Network.enable')
  await page.goto('/agents')
  await page.getByRole('table', { name: 'Agents' }).waitFor()
  assert.ok(bytes > 20_000 && bytes < 250_000, `${bytes} bytes`)
})

const letterTo = (email: string, about: RegExp) =>
  until('the letter is there', () =>
    mail
      .letters()
      .find(({ envelope, headers }) => envelope.to.includes(email) && about.test(headers['subject'] ?? '')),
  )

test('with open sign-up a person creates their own org with an emailed code', async () => {
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Organization', { exact: true }).fill(chats.org.slug)
  await page.getByLabel('Organization name').fill('Fay’s Bakery')
  await page.getByLabel('Your name').fill('Fay')
  await page.getByLabel('Email').fill('fay@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  const taken = await chats.deployment.anonymous.post('/v1/signup', {
    org: chats.org.slug,
    email: 'another@example.com',
    password,
  })
  await page.getByRole('alert').getByText(screenSentence(taken.body.detail)).waitFor()
  await page.getByLabel('Organization', { exact: true }).fill('fays-bakery')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('We sent a six-digit code to').waitFor()
  const code = /\b\d{6}\b/.exec((await letterTo('fay@example.com', /./)).text)?.[0] ?? ''
  await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole('alert').waitFor()
  await picture(page, 'sign-up-code')
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('No agents in the sandbox yet').waitFor()
  await page.locator('.who').getByText('fays-bakery').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a forgotten password is replaced with the emailed link, and the old one no longer works', async () => {
  const { email } = await chats.org.person('qa')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await page.getByText('we sent an email with a reset link').waitFor()
  const [link = ''] = /\/invitations\/[\w-]+/.exec((await letterTo(email, /new password/)).text) ?? []
  await page.goto(link)
  await page.getByLabel('Password').fill('another horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('Wrong email or password.').waitFor()
  await page.getByLabel('Password').fill('another horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.deepEqual(opened.broken, [])
})
