import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { openPage, test } from './browser.ts'
import { root } from './launch.ts'
import { startVoiceAgent } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'
/** Until a worker on a busy machine has spoken. */
const soundMs = 90_000
const component = /```tsx\n(.*?)```/s.exec(readFileSync(join(root, 'docs/browser.md'), 'utf8'))?.[1] ?? ''

/** A page with the component of the documentation and a button that takes it away. */
const program = `${component}
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
function Page() {
  const [isThere, setThere] = useState(true)
  return isThere ? (
    <>
      <Talk url={globalThis.gateway} publishableKey={globalThis.publishableKey} />
      <button onClick={() => setThere(false)}>Remove</button>
    </>
  ) : (
    <p>Nothing here</p>
  )
}
createRoot(document.querySelector('main')).render(<StrictMode><Page /></StrictMode>)
`

async function bundled(): Promise<string> {
  const name = join(root, 'e2e/react-page.tsx') // packages are found from there; nothing is written
  const plugin = {
    name: 'page',
    resolveId: (id: string) => (id === name ? id : undefined),
    load: (id: string) => (id === name ? program : undefined),
  }
  const made = (await build({
    root: join(root, 'e2e'),
    configFile: false,
    logLevel: 'warn',
    plugins: [plugin],
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      write: false,
      rolldownOptions: { input: name, output: { codeSplitting: false } },
      chunkSizeWarningLimit: 2000,
    },
  })) as Rolldown.RolldownOutput
  return made.output[0].code
}

test('the React component of docs/browser.md talks to an agent, mutes, hangs up, and hangs up when it is taken away', async (t) => {
  const code = await bundled()
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
