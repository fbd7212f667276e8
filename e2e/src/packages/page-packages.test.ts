import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test as plainTest } from 'node:test'
import { build } from 'esbuild'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { packPackages, type Tarball } from '@switchroom/tools/packages/tarballs'
import { openPage, test } from '../browser.ts'
import { root } from '../launch.ts'
import { compilerOptions } from './agent-programs.ts'
import { NoRegistry, npmInstall } from './npm-installs.ts'
import { publintFindings, textsOf, typeFindings } from './package-checks.ts'

const work = temporaryFolder({ after }, process.env['TEST_DISK'])
const tarballs = await packPackages(join(work, 'packed'))
const packed = (folder: Tarball['folder']) => {
  const found = tarballs.find((each) => each.folder === folder)
  assert.ok(found)
  return found
}

/** What an author of a page writes. */
const program = `import { startChat, type BrowserChat } from '@switchroom/browser'
import '@switchroom/browser/element'
import { useCall } from '@switchroom/react'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

declare global {
  var asked: { url: string; key: string }
}

function Talk() {
  const { state, transcript } = useCall(globalThis.asked)
  return createElement('p', { id: 'call' }, \`\${state} \${transcript.length}\`)
}

const show = (id: string, text: string) => {
  const line = document.createElement('p')
  line.id = id
  line.textContent = text
  document.body.append(line)
}
const main = document.querySelector('main')
if (main) createRoot(main).render(createElement(Talk))
show('element', String(customElements.get('switchroom-call') !== undefined))
const chat: BrowserChat = await startChat(globalThis.asked)
chat.on('line', ({ who, text }) => show(who, text))
chat.say('rye')
`

plainTest('publint and @arethetypeswrong/cli find nothing in the packages for pages', async () => {
  for (const folder of ['browser', 'react'] as const) {
    assert.deepEqual(await publintFindings(packed(folder)), [], folder)
    assert.equal(typeFindings(packed(folder), 'esm-only'), '', folder)
  }
})

plainTest('a page loads under 40 KB of its package, and another package only for a call on LiveKit', () => {
  const texts = textsOf(packed('browser')).filter(([path]) => path.endsWith('.js'))
  const bytes = texts.map(([, text]) => Buffer.byteLength(text))
  assert.ok(bytes.length > 0 && bytes.reduce((sum, each) => sum + each) < 40_000, `${bytes.join(' ')} bytes`)
  const imported = texts.flatMap(([, text]) =>
    [...text.matchAll(/(?:from|import\()\s*"([^".][^"]*)"/g)].map(([whole]) => whole.replaceAll(/\s/g, '')),
  )
  assert.deepEqual(imported, ['import("livekit-client"'])
})

test('a page whose author installed the packages from npm compiles in strict TypeScript, bundles, and chats with an agent', async (t) => {
  const manifest = {
    private: true,
    type: 'module',
    dependencies: {
      react: '19.3.1',
      'react-dom': '19.3.1',
      '@types/react': '19.3.0',
      '@types/react-dom': '19',
    },
  }
  writeFileSync(join(work, 'package.json'), JSON.stringify(manifest))
  try {
    npmInstall(work, packed('browser').file, packed('react').file)
  } catch (error) {
    if (error instanceof NoRegistry) return t.skip(`needs packages from npm: ${error.message}`)
    throw error
  }
  writeFileSync(join(work, 'page.ts'), program)
  for (const options of [{ module: 'nodenext' }, { module: 'preserve', moduleResolution: 'bundler' }]) {
    const settings = { ...compilerOptions, ...options, lib: ['es2023', 'dom'], types: [], noEmit: true }
    writeFileSync(
      join(work, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: settings, files: ['page.ts'] }),
    )
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8' })
    assert.deepEqual([status, stdout], [0, ''], options.module)
  }
  const { outputFiles } = await build({
    absWorkingDir: work,
    entryPoints: ['page.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  const code = outputFiles[0]?.text ?? ''

  await using chats = await startChatDeployment()
  chats.model.reply = ({ messages }) => `You said ${String(messages.at(-1)?.content)}.`
  const { slug } = await chats.newAgent()
  let asked = ''
  const server = createServer((request, reply) =>
    request.url === '/page.js'
      ? reply.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(code)
      : reply
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          .end(
            `<!doctype html><title>Shop</title><script>asked = ${asked}</script><main></main><script type="module" src="/page.js"></script>`,
          ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { client } = await chats.org.person('developer')
  const wanted = { label: 'shop', agent: slug, env: 'sandbox', origins: [shop] }
  const { key } = done(await client.post('/v1/publishable-keys', wanted))
  asked = JSON.stringify({ url: chats.deployment.url, key })

  await using opened = await openPage({ url: shop })
  const { page } = opened
  await page.goto('/')
  await page.locator('#agent', { hasText: 'You said rye.' }).first().waitFor()
  assert.equal(await page.locator('#element').textContent(), 'true')
  assert.equal(await page.locator('#call').textContent(), 'idle 0')
  assert.deepEqual(opened.broken, [])
})
