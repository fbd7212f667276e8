import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPage, test } from './browser.ts'
import { bundledReactPage } from './react-page.ts'
import { startVoiceAgent } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'
/** Until a worker on a busy machine has spoken. */
const soundMs = 90_000
test('the React component of docs/browser.md talks to an agent, mutes, hangs up, and hangs up when it is taken away', async (t) => {
  const code = await bundledReactPage()
  const fixture = await startVoiceAgent(t, { settings: { greeting: { say: greeting } } })
  let key = ''
  const server = createServer((request, reply) => {
    if (request.url === '/page.js') return reply.setHeader('content-type', 'text/javascript').end(code)
    const globals = `gateway=${JSON.stringify(fixture.deployment.url)};publishableKey=${JSON.stringify(key)}`
    return reply
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        `<!doctype html><title>Shop</title><main></main><script>${globals}</script><script type="module" src="/page.js"></script>`,
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { client } = await fixture.org.person('developer')
  const wanted = { label: 'shop', agent: 'hello', env: 'sandbox', origins: [origin] }
  key = (await client.post('/v1/publishable-keys', wanted)).body.key
  await using opened = await openPage({ url: origin, permissions: ['microphone'] })
  const { page } = opened
  await page.goto('/')
  for (const way of ['Hang up', 'Remove']) {
    await page.getByRole('button', { name: 'Talk to us' }).click()
    await page.getByText(`agent: ${greeting}`, { exact: true }).waitFor({ timeout: soundMs })
    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('button', { name: 'Mute', pressed: true }).waitFor()
    const { id } = await fixture.nextCall()
    await page.getByRole('button', { name: way }).click()
    assert.equal((await fixture.untilEnded(id)).at(-1)?.data['reason'], 'hangup')
  }
  await page.getByText('Nothing here').waitFor()
  assert.deepEqual(opened.broken, [])
})
