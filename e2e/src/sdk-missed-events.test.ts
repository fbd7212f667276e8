import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { after, test, type TestContext } from 'node:test'
import { emptyDatabase } from '@switchroom/gateway/testing/databases'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { until } from '@switchroom/gateway/testing/until'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { openChat, type Chat } from '@switchroom/sdk'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'

const program = fileURLToPath(new URL('listening-app.ts', import.meta.url))
const database = await emptyDatabase()
const model = await ModelFake.start()
const settings = {
  SVC_PORT: String(await freePort()),
  SVC_PROVIDER_KEY_OPENAI: 'sk-platform-openai-0123456789',
}
const started: GatewayProcess[] = []
after(async () => {
  await Promise.all(started.map(kill))
  await model.stop()
  await database.drop()
})
const start = async () => {
  const next = await startedGateway(database.url, settings)
  started.push(next)
  return next
}
let gateway = await start()
const key = await newKey()

async function kill({ child, ended }: GatewayProcess) {
  child.kill('SIGKILL')
  await ended
}

async function newKey(): Promise<string> {
  const row = (await (await gateway.send('GET', '/v1/ops/providers')).json()) as {
    defaults: Record<string, string>
    options: Record<string, object>
  }
  row.defaults['llm'] = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
  assert.equal((await gateway.send('PUT', '/v1/ops/providers', row)).status, 200)
  await gateway.send('POST', '/v1/ops/orgs', { slug: 'acme', name: 'Acme' })
  const token = { label: 'app', env: 'sandbox', scopes: ['app', 'talk', 'calls'] }
  const made = await gateway.send('POST', '/v1/ops/orgs/acme/keys', token)
  return ((await made.json()) as { key: string }).key
}

async function hasEnded(chat: Chat): Promise<boolean> {
  const path = `/v1/calls/${await chat.started}/events?limit=1000`
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { ended: boolean }).ended
}

interface Printed {
  event: string
  call: string
  text?: string
}

/** An app in a process of its own, which can be stopped and continued. */
async function startApp(t: TestContext, agent: string) {
  const child = spawn(process.execPath, [program, agent], {
    env: { PATH: process.env['PATH'], SVC_URL: gateway.url, SVC_KEY: key, SVC_ENV: 'sandbox' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const printed: Printed[] = []
  createInterface({ input: child.stdout }).on('line', (line) => printed.push(JSON.parse(line) as Printed))
  await until('it holds its agent', () => printed.some(({ event }) => event === 'held'), 30_000)
  const texts = (event: string) => printed.filter((each) => each.event === event).map(({ text }) => text)
  return { child, printed, texts }
}

test('an app that stood still while its gateway was killed and started again hears everything that happened meanwhile, once', async (t) => {
  model.reply = ({ messages }) => `answer to ${messages.at(-1)?.content}`
  const app = await startApp(t, 'desk')
  const chat = openChat({ url: gateway.url, key, agent: 'desk' })
  t.after(() => chat.end())
  const answers: string[] = []
  chat.on('message', ({ text }) => void answers.push(text))
  await chat.send('one')
  await until('the app heard it', () => app.texts('agent.message').length === 1)

  app.child.kill('SIGSTOP')
  await chat.send('two') // sent to a process that does not read it
  await until('it is answered', () => answers.length === 2)
  await kill(gateway)
  gateway = await start()
  await chat.send('three') // while no app is connected
  app.child.kill('SIGCONT')

  await until('the app heard all', () => app.texts('agent.message').length >= 3, 60_000)
  await chat.send('four')
  await until('it is answered', () => answers.length === 4)
  await chat.end()
  await until('the app heard of the end', () => app.texts('call.ended').length > 0, 60_000)
  assert.deepEqual(app.texts('user.message'), ['one', 'two', 'three', 'four'])
  assert.deepEqual(
    app.texts('agent.message'),
    ['one', 'two', 'three', 'four'].map((text) => `answer to ${text}`),
  )
  assert.deepEqual(app.texts('call.ended'), ['hangup'])
  assert.equal(app.printed.filter(({ event }) => event === 'chat.started').length, 1)
})

test('a call that ended before its gateway was killed, while its app stood still, is heard to its end, once', async (t) => {
  model.reply = ({ messages }) => `answer to ${messages.at(-1)?.content}`
  const app = await startApp(t, 'shop')
  const chat = openChat({ url: gateway.url, key, agent: 'shop' })
  t.after(() => chat.end())
  await chat.send('one')
  await until('the app heard it', () => app.texts('agent.message').length === 1)
  app.child.kill('SIGSTOP')
  await chat.send('two')
  await chat.end()
  await until('the log has the end', () => hasEnded(chat))
  await kill(gateway)
  gateway = await start()
  app.child.kill('SIGCONT')
  await until('the app heard of the end', () => app.texts('call.ended').length > 0, 60_000)
  assert.deepEqual(app.texts('user.message'), ['one', 'two'])
  // A later call shows that nothing of the first one is sent again.
  const later = openChat({ url: gateway.url, key, agent: 'shop' })
  t.after(() => later.end())
  await later.send('later')
  await until('the app heard it', () => app.texts('user.message').length >= 3, 60_000)
  await later.end()
  await until('the app heard of its end', () => app.texts('call.ended').length >= 2)
  assert.deepEqual(app.texts('user.message'), ['one', 'two', 'later'])
  assert.equal(app.texts('call.ended').length, 2)
})
