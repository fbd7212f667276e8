import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openPage, test } from './browser.ts'
import { root } from './launch.ts'
import { startVoiceAgent } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'

/** The pages of docs/browser.md, in order. */
const pages = [...readFileSync(join(root, 'docs/browser.md'), 'utf8').matchAll(/```html\n(.*?)```/gs)].map(
  ([, html = '']) => html,
)

/** Serves a page at an origin of its own. */
async function serve(t: TestContext, html: () => string): Promise<string> {
  const server = createServer((_request, reply) =>
    reply
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><title>Shop</title>${html()}`),
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
  await page.getByText(`agent: ${greeting}`).waitFor()
  assert.deepEqual(opened.broken, [])
  const closedAt = Date.now() / 1000
  await page.close()
  const ended = (await fixture.untilEnded(call)).at(-1)
  assert.equal(ended?.data['reason'], 'hangup')
  t.diagnostic(`the call ended ${((ended?.ts ?? 0) - closedAt).toFixed(1)} s after its tab was closed`)
})
