import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '@switchroom/gateway/testing/databases'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { until } from '@switchroom/gateway/testing/until'
import { Agent, connect, openChat, tool } from '@switchroom/sdk'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'

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

async function kill({ child, ended }: GatewayProcess) {
  child.kill('SIGKILL')
  await ended
}

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await gateway.send(method, path, body)
  assert.ok(response.ok, `${method} ${path} answered ${response.status}`)
  return response.json() as Promise<Answer>
}

interface ProviderRow {
  defaults: Record<string, string>
  options: Record<string, object>
}

/** A key of a new org whose model is the fake. */
async function newKey(): Promise<string> {
  const row = await ask<ProviderRow>('GET', '/v1/ops/providers')
  row.defaults['llm'] = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
  await ask('PUT', '/v1/ops/providers', row)
  await ask('POST', '/v1/ops/orgs', { slug: 'acme', name: 'Acme' })
  const token = { label: 'app', env: 'sandbox', scopes: ['app', 'talk', 'calls'] }
  return (await ask<{ key: string }>('POST', '/v1/ops/orgs/acme/keys', token)).key
}

test('a gateway that is killed while a tool runs and started again continues where it was: the tool ran once, and both sides are back by themselves (N-458)', async (t) => {
  const { url } = gateway
  const key = await newKey()
  const running = Promise.withResolvers<void>()
  const booked = Promise.withResolvers<string>()
  let runs = 0
  const book = tool({
    name: 'book',
    description: 'Books a table',
    run() {
      runs += 1
      running.resolve()
      return booked.promise
    },
  })
  model.reply = ({ messages }) => {
    const last = messages.at(-1)
    return last?.role === 'tool' ? `The answer: ${last.content}` : { calls: [{ id: 'tool_1', name: 'book' }] }
  }
  const switchroom = connect({ url, key })
  t.after(() => switchroom.close())
  switchroom.on('disconnected', () => {})
  const agent = new Agent({ name: 'desk', tools: [book] })
  await switchroom.hold(agent)
  const chat = openChat({ url, key, agent: 'desk' })
  t.after(() => chat.end())
  const said: string[] = []
  chat.on('message', ({ text }) => void said.push(text))
  await chat.send('a table for two, please')
  await running.promise

  await kill(gateway)
  await until('both noticed', () => agent.state === 'pending')
  booked.resolve('table 7')
  gateway = await start()
  await until('it answered', () => said.length > 0, 60_000)
  assert.deepEqual(said, ['The answer: table 7'])
  assert.equal(runs, 1)
  const asked = model.asked.filter(({ messages }) => messages.at(-1)?.role === 'tool')
  assert.equal(asked.length, 1)
})
