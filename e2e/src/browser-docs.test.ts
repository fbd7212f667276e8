import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { assertUsable, openPage, test } from './browser.ts'
import { root } from './launch.ts'
import { startVoiceAgent } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'
/** Until a worker on a busy machine has spoken. */
const soundMs = 90_000

/** The pages of docs/browser.md, in order. */
const pages = [...readFileSync(join(root, 'docs/browser.md'), 'utf8').matchAll(/```html\n(.*?)```/gs)].map(
  ([, html = '']) => html,
)

/** Serves a page at an origin of its own. */
async function serve(t: TestContext, html: () => string): Promise<string> {
  const server = createServer((_request, reply) =>
    reply
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><html lang="en"><title>Shop</title>${html()}`),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the page of docs/browser.md talks to an agent, and closing its tab ends the call as hangup', async (t) => {
  const fixture = await startVoiceAgent(t, { settings: { greeting: { say: greeting } } })
  const { client } = await fixture.org.serverToken('sandbox', { scopes: ['talk'] })
  const made = await client.post('/v1/tokens', { agent: 'hello', ttl_s: 600 })
  assert.equal(made.status, 200, made.text)
  const { call, participant_token } = made.body
  const { url } = fixture.deployment
  const [html = ''] = pages
  const address = await serve(t, () => html.replaceAll('GATEWAY', url).replace('TOKEN', participant_token))
  await using opened = await openPage({ url: address, permissions: ['microphone'] })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('button', { name: 'Talk to us' }).click()
  await page.getByText(`agent: ${greeting}`).waitFor({ timeout: soundMs })
  assert.deepEqual(opened.broken, [])
  const closedAt = Date.now() / 1000
  await page.close()
  const ended = (await fixture.untilEnded(call)).at(-1)
  assert.equal(ended?.data['reason'], 'hangup')
  t.diagnostic(`the call ended ${((ended?.ts ?? 0) - closedAt).toFixed(1)} s after its tab was closed`)
})

test('the <switchroom-call> of docs/browser.md talks to an agent in a page of another origin, and hangs up', async (t) => {
  const fixture = await startVoiceAgent(t, { settings: { greeting: { say: greeting } } })
  const { url } = fixture.deployment
  const element = pages.find((html) => html.includes('<switchroom-call')) ?? ''
  let key = ''
  const address = await serve(t, () => element.replaceAll('GATEWAY', url).replace('PUBLISHABLE_KEY', key))
  const { client } = await fixture.org.person('developer')
  const wanted = { label: 'shop', agent: 'hello', env: 'sandbox', origins: [address] }
  key = (await client.post('/v1/publishable-keys', wanted)).body.key
  await using opened = await openPage({ url: address, permissions: ['microphone'] })
  const { page } = opened
  await page.goto('/')
  await page.getByRole('button', { name: 'Talk' }).click()
  await page
    .getByRole('log', { name: 'Transcript' })
    .getByText(greeting, { exact: true })
    .waitFor({ timeout: soundMs })
  await assertUsable(page)
  await page.getByRole('button', { name: 'Mute' }).click()
  await page.getByRole('button', { name: 'Mute', pressed: true }).waitFor()
  const { id } = await fixture.nextCall()
  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByText('The conversation has ended.').waitFor()
  assert.equal((await fixture.untilEnded(id)).at(-1)?.data['reason'], 'hangup')
  assert.deepEqual(opened.broken, [])
})
