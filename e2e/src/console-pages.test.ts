import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/chat-deployment'
import { assertFits, assertUsable, openPage, picture, startBrowser } from './browser.ts'

const browser = await startBrowser()
const house = await startChatDeployment({ SVC_SIGNUP: 'yes' })
after(async () => {
  await browser.close()
  await house[Symbol.asyncDispose]()
})
const { url } = house.deployment
const { slug } = await house.newAgent()
const { key } = await house.org.person('admin', { operator: true })

const doors = ['/', '/sign-up', '/forgotten-password', '/invitations/x', '/cli', '/cli?c=cli_x']
const screens = [
  '/agents',
  ...['', '/voice', '/settings', '/history', '/canary', '/lexicon', '/voices'].map(
    (part) => `/agents/${slug}${part}`,
  ),
  '/team',
  '/keys',
  '/provider-keys',
  '/judging',
  '/single-sign-on',
  '/mailbox',
  '/platform/orgs',
  `/platform/orgs/${house.org.slug}`,
  '/platform/brand',
  '/platform/mail',
  '/platform/providers',
  '/platform/route-number',
  '/platform/retention',
  '/platform/nowhere',
]

for (const [width, colours] of [
  [1280, 'light'],
  [360, 'dark'],
] as const)
  test(`every page fits a screen of ${width} px, in ${colours} colours, and shuts nobody out`, async () => {
    for (const [paths, wanted] of [
      [doors, {}],
      [screens, { key }],
    ] as const) {
      await using opened = await openPage(browser, { url, width, colours, ...wanted })
      const { page, broken } = opened
      for (const path of paths) {
        await page.goto(path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('.progress').first().waitFor({ state: 'detached' })
        await assertUsable(page)
        await assertFits(page)
        await picture(page, path.replaceAll(/\W+/g, '-'))
      }
      assert.deepEqual(broken, [])
    }
  })

test('at 360 px the navigation is behind its button, and the environment stays in sight', async () => {
  await using opened = await openPage(browser, { url, width: 360, key })
  const { page } = opened
  await page.goto('/agents')
  assert.equal(await page.getByRole('link', { name: 'Team', exact: true }).isVisible(), false)
  assert.ok(await page.getByText('Sandbox').isVisible())
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Team', exact: true }).isVisible(), false)
})

test('the first load is under 250 KB as it travels', async () => {
  await using opened = await openPage(browser, { url, key })
  const { page, context } = opened
  const devtools = await context.newCDPSession(page)
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await devtools.send('Network.enable')
  await page.goto('/agents')
  await page.getByRole('table', { name: 'Agents' }).waitFor()
  assert.ok(bytes > 20_000 && bytes < 250_000, `${bytes} bytes`)
})
