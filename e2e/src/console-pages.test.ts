import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { password } from '@switchroom/gateway/testing/deployment'
import { startMailServer } from '@switchroom/gateway/testing/mail/mail-server'
import { until } from '@switchroom/gateway/testing/until'
import type { Page } from 'playwright-core'
import { openPage, picture, test } from './browser.ts'
import { assertGood, type GoodPage } from './good-pages.ts'

const mail = await startMailServer()
const house = await startChatDeployment({
  SVC_SIGNUP: 'yes',
  SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'Switchroom <post@switchroom.test>',
})
after(async () => {
  await house[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { url } = house.deployment
const { slug } = await house.newAgent()
const { key } = await house.org.person('admin', { operator: true })

const doors = ['/', '/sign-up', '/forgotten-password', '/invitations/x', '/cli', '/cli?c=cli_x']
const screens = [
  '/agents',
  ...['', '/voice', '/settings', '/history', '/canary', '/lexicon'].map((part) => `/agents/${slug}${part}`),
  '/team',
  '/keys',
  '/provider-keys',
  '/judging',
  '/single-sign-on',
  '/mailbox',
  '/audit',
  '/platform/orgs',
  `/platform/orgs/${house.org.slug}`,
  '/platform/brand',
  '/platform/mail',
  '/platform/providers',
  '/platform/route-number',
  '/platform/retention',
  '/platform/audit',
  '/platform/nowhere',
]

const onceRead = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.progress').first().waitFor({ state: 'detached' })
}
const looked = (paths: readonly string[]): GoodPage[] =>
  paths.map((path) => ({ path, name: path.replaceAll(/\W+/g, '-'), ready: onceRead }))

test('every way in fits a telephone and a wide screen in light and in dark, and shuts nobody out', () =>
  assertGood({ url }, ...looked(doors)))

test('every screen fits a telephone and a wide screen in light and in dark, and shuts nobody out', () =>
  assertGood({ url, key }, ...looked(screens), {
    path: `/agents/${slug}/voices`,
    name: 'voices',
    async ready(page) {
      await page.getByLabel('Language').fill('en-us') // a row is like another, and there are a hundred
      await page.getByRole('row').nth(9).waitFor({ state: 'detached' })
      await page.getByRole('row').nth(1).waitFor()
    },
  }))

test('at 360 px the navigation is behind its button, and the environment stays in sight', async () => {
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

test('the first load is under 250 KB as it travels', async () => {
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

test('where sign-up is open somebody makes an org of their own with the code that was mailed to them', async () => {
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Org', { exact: true }).fill(house.org.slug)
  await page.getByLabel('The org’s full name').fill('Fay’s Bakery')
  await page.getByLabel('Your name').fill('Fay')
  await page.getByLabel('Email').fill('fay@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  const taken = await house.deployment.nobody.post('/v1/signup', {
    org: house.org.slug,
    email: 'somebody@example.com',
    password,
  })
  await page.getByRole('alert').getByText(taken.body.detail).waitFor()
  await page.getByLabel('Org', { exact: true }).fill('fays-bakery')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Six digits are on their way to').waitFor()
  const code = /\b\d{6}\b/.exec((await letterTo('fay@example.com', /./)).text)?.[0] ?? ''
  await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Open my org' }).click()
  await page.getByRole('alert').waitFor()
  await picture(page, 'sign-up-code')
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Open my org' }).click()
  await page.getByText('No agent yet in the sandbox').waitFor()
  await page.locator('.who').getByText('fays-bakery').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a forgotten password is chosen anew behind the link that was mailed, and the old one opens nothing', async () => {
  const { email } = await house.org.person('qa')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('link', { name: 'Forgotten password' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('a letter with a link is on its way').waitFor()
  const [link = ''] = /\/invitations\/[\w-]+/.exec((await letterTo(email, /new password/)).text) ?? []
  await page.goto(link)
  await page.getByLabel('Password').fill('another horse battery')
  await page.getByRole('button', { name: 'Take my seat' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('nobody answers to that email and password').waitFor()
  await page.getByLabel('Password').fill('another horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.deepEqual(opened.broken, [])
})
