import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import type { Page } from 'playwright-core'
import { assertReadable, assertUsable, openPage, picture, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model } = chats
const { url } = deployment

/** A page of another origin, under a content policy as strict as it may be. */
async function shopOf(t: TestContext, body: () => string): Promise<string> {
  const policy = `default-src 'none'; script-src ${url}; connect-src ${url} ${url.replace('http', 'ws')}; style-src 'none'`
  const server = createServer((_request, reply) =>
    reply
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
      .end(`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${body()}</main>`),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const element = (key: string, more = '') =>
  `<script type="module" src="${url}/embed/switchroom.js"></script><switchroom-call key="${key}" ${more}></switchroom-call>`

async function keyFor(
  agent: string,
  origin: string,
  more: object = {},
): Promise<{ id: string; key: string }> {
  const { client } = await chats.org.person('developer')
  const wanted = { label: 'shop', agent, env: 'sandbox', origins: [origin], ...more }
  return done(await client.post('/v1/publishable-keys', wanted))
}

const said = (page: Page) => page.getByRole('log', { name: 'Transcript' })

test('a visitor of another origin writes to an agent in <switchroom-call>, which is accessible, under a strict content policy', async (t) => {
  model.reply = ({ messages }) => `You said ${String(messages.at(-1)?.content)}.`
  const { slug } = await chats.newAgent()
  let html = ''
  const shop = await shopOf(t, () => html)
  html = element((await keyFor(slug, shop)).key)
  await using opened = await openPage({ url: shop })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('button', { name: 'Talk' }).waitFor()
  await assertUsable(page)
  await page.getByRole('button', { name: 'Chat' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Message').waitFor()
  await page.getByLabel('Message').fill('bread')
  await page.keyboard.press('Enter')
  await said(page).getByText('You said bread.').waitFor()
  await assertUsable(page)
  await assertReadable(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertReadable(page)
  await picture(page, 'switchroom-call')
  const colour = await page.evaluate<string>(`(() => {
    const call = document.querySelector('switchroom-call')
    call.style.setProperty('--switchroom-accent', 'rgb(1, 2, 3)')
    return getComputedStyle(call.shadowRoot.querySelector('form .primary')).backgroundColor
  })()`)
  assert.equal(colour, 'rgb(1, 2, 3)')
  await page.getByRole('button', { name: 'End chat' }).click()
  await page.getByRole('alert').getByText('The conversation has ended.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Chat' }).isVisible(), true)
  assert.deepEqual(opened.broken, [])
})

test('what a visitor writes into <switchroom-call> while the chat still opens is sent once it is there', async (t) => {
  model.reply = ({ messages }) => `You said ${String(messages.at(-1)?.content)}.`
  const { slug } = await chats.newAgent()
  let html = ''
  const shop = await shopOf(t, () => html)
  html = element((await keyFor(slug, shop)).key)
  await using opened = await openPage({ url: shop })
  const { page } = opened
  const opening = Promise.withResolvers<void>()
  await page.route(/\/v1\/page\/tokens/, async (route) => {
    await opening.promise
    await route.continue()
  })
  await page.goto('/')
  await page.getByRole('button', { name: 'Chat' }).click()
  await page.getByText('Connecting…').waitFor()
  await page.getByLabel('Message').fill('rye')
  await page.keyboard.press('Enter')
  opening.resolve()
  await said(page).getByText('You said rye.').waitFor()
})

test('<switchroom-call> says in a sentence why a page may not call, and offers only the ways that it is asked for', async (t) => {
  const { slug } = await chats.newAgent()
  let html = ''
  const shop = await shopOf(t, () => html)
  html = element((await keyFor(slug, 'https://shop.example')).key, 'channels="chat"')
  await using opened = await openPage({ url: shop })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('button', { name: 'Chat' }).click()
  const sentence = `This publishable key is not for pages of ${shop}: make one whose origins name it`
  await page.getByRole('alert').getByText(sentence).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Talk' }).count(), 0)
  await assertUsable(page)
})
