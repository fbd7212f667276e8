import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../testing/folders.ts'
import { chatCommand, exampleEnvironment } from './example.ts'

/** A gateway that hands out keys, and knows those it handed out. */
async function gatewayWithDemo(t: TestContext) {
  const keys = new Set<string>()
  const asked: unknown[] = []
  const settings: unknown[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const opener = request.headers.authorization?.slice('Bearer '.length) ?? ''
      if (request.url === '/v1/whoami') return response.writeHead(keys.has(opener) ? 200 : 401).end('{}')
      if (request.url === '/v1/agents/hello/settings') {
        assert.ok(request.method === 'PUT' && keys.has(opener))
        settings.push(JSON.parse(Buffer.concat(chunks).toString()))
        return response.writeHead(settings.length > 1 ? 409 : 200).end('{}')
      }
      assert.equal(`${request.method} ${request.url} ${opener}`, 'POST /v1/ops/orgs/demo/keys operator')
      asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      const key = `svc_live_${asked.length}`
      keys.add(key)
      return response.end(JSON.stringify({ key }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const dataFolder = temporaryFolder(t)
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { dataFolder, address, operatorKey: 'operator', signal: new AbortController().signal }
  return {
    keys,
    asked,
    settings,
    options,
    file: join(dataFolder, 'example.env'),
    marker: join(dataFolder, 'demo.invited'),
  }
}

test('the example agent gets a key of the demo org in the sandbox, kept for its owner alone and made once', async (t) => {
  const { asked, options, file, marker } = await gatewayWithDemo(t)
  writeFileSync(marker, '')
  const environment = await exampleEnvironment(options)
  assert.equal(environment?.['SVC_URL'], options.address)
  assert.equal(environment['SVC_KEY'], 'svc_live_1')
  assert.deepEqual(asked, [{ label: 'hello', env: 'sandbox', scopes: ['app', 'calls', 'talk'] }])
  assert.equal(readFileSync(file, 'utf8'), `SVC_URL=${options.address}\nSVC_KEY=svc_live_1\n`)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal((await exampleEnvironment(options))?.['SVC_KEY'], 'svc_live_1')
  assert.equal(asked.length, 1)
})

test('the example agent greets as its settings say, which are set once and stay as a person changes them', async (t) => {
  const { keys, settings, options, marker } = await gatewayWithDemo(t)
  writeFileSync(marker, '')
  await exampleEnvironment(options)
  await exampleEnvironment(options)
  assert.deepEqual(settings, [
    {
      config: {
        greeting: {
          say: 'Hello! Ask me for the time, or leave a number to be called back.',
          allow_interruptions: true,
        },
      },
      if_version: 0,
      note: 'how the example agent begins',
    },
  ])
  keys.clear()
  await exampleEnvironment(options)
  assert.equal(settings.length, 2) // refused: there are settings already
})

test('a key that opens nothing any more is replaced', async (t) => {
  const { keys, options, file, marker } = await gatewayWithDemo(t)
  writeFileSync(marker, '')
  await exampleEnvironment(options)
  keys.clear()
  assert.equal((await exampleEnvironment(options))?.['SVC_KEY'], 'svc_live_2')
  assert.match(readFileSync(file, 'utf8'), /^SVC_KEY=svc_live_2$/m)
})

test('a deployment whose demo org is not of this folder gets no example agent and no key', async (t) => {
  const { asked, options } = await gatewayWithDemo(t)
  assert.equal(await exampleEnvironment(options), undefined)
  assert.deepEqual(asked, [])
})

test("the example agent sees none of the deployment's own settings", async (t) => {
  const { options, marker } = await gatewayWithDemo(t)
  writeFileSync(marker, '')
  process.env['SVC_VAULT_KEY'] = 'secret'
  t.after(() => delete process.env['SVC_VAULT_KEY'])
  const environment = (await exampleEnvironment(options)) ?? {}
  assert.deepEqual(
    Object.keys(environment).filter((name) => name.startsWith('SVC_')),
    ['SVC_URL', 'SVC_KEY'],
  )
  assert.equal(environment['PATH'], process.env['PATH'])
})

test('the command that writes to the agent names its file as short as it can', () => {
  const chat = 'examples/hello/chat.ts'
  assert.equal(chatCommand(join(process.cwd(), 'data')), 'npm run chat')
  assert.equal(chatCommand('/elsewhere'), `npx node --env-file=/elsewhere/example.env ${chat}`)
})
