import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { Agent, Chat, connect, tool, Type } from '@switchroom/sdk'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'

const calls = 50
const killsFor = 60_000
const everyMs = 4_000

/** A model that looks every question up first, and then answers with what the tool returned. */
async function startModel() {
  const server = createServer((request, response) => void answerModel(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() && server.closeAllConnections() }
}

async function answerModel(request: IncomingMessage, response: ServerResponse) {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const last = body.messages.at(-1)
  const delta =
    last.role === 'tool'
      ? { content: `answer to ${last.content}` }
      : {
          tool_calls: [
            {
              index: 0,
              id: `call_${last.content}`,
              function: { name: 'look_up', arguments: JSON.stringify({ question: last.content }) },
            },
          ],
        }
  await pause(Math.random() * 200)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (part: object) => response.write(`data: ${JSON.stringify(part)}\n\n`)
  chunk({ choices: [{ index: 0, delta }] })
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: last.role === 'tool' ? 'stop' : 'tool_calls' }] })
  response.end('data: [DONE]\n\n')
}

/** Asks on and on, each question once the one before was answered, until `isOver`. */
async function converse(chat: Chat, name: string, isOver: () => boolean) {
  const answers: string[] = []
  let questions = 0
  let answered = Promise.withResolvers<void>()
  chat.on('message', ({ text }) => {
    answers.push(text)
    answered.resolve()
  })
  while (!isOver()) {
    answered = Promise.withResolvers()
    await chat.send(`${name}-${questions}`)
    questions += 1
    await answered.promise
    await pause(Math.random() * 500)
  }
  return { questions, answers }
}

test('fifty written calls outlive a gateway killed every few seconds for a minute: every log is whole, every message is answered once, no tool runs twice (N-458, N-495)', async (t) => {
  const database = await migratedDatabase()
  afterwards(t, () => database.drop())
  const model = await startModel()
  afterwards(t, () => model.stop())
  const port = String(await freePort())
  const settings = { SVC_PORT: port, SVC_PROVIDER_KEY_OPENAI: 'key-of-the-model' }
  let gateway: GatewayProcess = await startedGateway(database.url, settings)
  afterwards(t, () => {
    gateway.child.kill('SIGKILL')
    return gateway.ended
  })
  const ask = async (method: string, path: string, body?: object) => {
    const response = await gateway.send(method, path, body)
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return response.json() as Promise<any> // oxlint-disable-line typescript/no-explicit-any -- answers of many shapes
  }
  await ask('POST', '/v1/ops/orgs', { slug: 'crash', name: 'Crash' })
  const row = await ask('GET', '/v1/ops/providers')
  row.defaults.llm = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
  await ask('PUT', '/v1/ops/providers', row)
  await ask('PUT', '/v1/ops/orgs/crash/account', { plan: 'enterprise', subscribed: true, credits: 1_000_000 })
  const { key } = await ask('POST', '/v1/ops/orgs/crash/keys', {
    label: 'crash',
    env: 'sandbox',
    scopes: ['app', 'talk', 'calls'],
  })
  const address = { url: gateway.url, key }

  const runs = new Map<string, number>()
  const lookUp = tool({
    name: 'look_up',
    description: 'looks a question up',
    parameters: Type.Object({ question: Type.String() }),
    async run({ question }) {
      runs.set(question, (runs.get(question) ?? 0) + 1)
      await pause(Math.random() * 300)
      return question
    },
  })
  const app = connect(address)
  app.on('disconnected', () => {})
  afterwards(t, () => app.close())
  await app.hold(new Agent({ name: 'desk', prompt: 'Look everything up.', tools: [lookUp] }))

  let isOver = false
  const chats = Array.from({ length: calls }, () => new Chat({ ...address, agent: 'desk' }))
  afterwards(t, () => Promise.all(chats.map((chat) => chat.end())))
  const ids = await Promise.all(chats.map((chat) => chat.started))
  const conversations = chats.map((chat, n) => converse(chat, `q${n}`, () => isOver))
  const until = Date.now() + killsFor
  let kills = 0
  while (Date.now() < until) {
    await pause(everyMs * (0.5 + Math.random()))
    gateway.child.kill('SIGKILL')
    await gateway.ended
    kills += 1
    gateway = await startedGateway(database.url, settings)
  }
  isOver = true
  const told = await Promise.all(conversations)
  const asked = told.flatMap(({ questions }, n) => Array.from({ length: questions }, (_, q) => `q${n}-${q}`))
  t.diagnostic(`${kills} kills, ${asked.length} questions`)

  assert.deepEqual([...runs.keys()].toSorted(), asked.toSorted())
  assert.deepEqual(
    [...runs].filter(([, times]) => times !== 1),
    [],
  )
  for (const [n, { questions, answers }] of told.entries())
    assert.deepEqual(
      answers,
      Array.from({ length: questions }, (_, q) => `answer to q${n}-${q}`),
    )
  for (const [n, id] of ids.entries()) {
    const response = await fetch(`${gateway.url}/v1/calls/${id}/events?limit=1000`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { entries } = (await response.json()) as {
      entries: { seq: number; type: string; data: { text: string } }[]
    }
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, at) => at + 1),
    )
    const textsOf = (wanted: string) =>
      entries.filter(({ type }) => type === wanted).map(({ data }) => data.text)
    assert.deepEqual(
      textsOf('user.message'),
      Array.from({ length: told[n]?.questions ?? 0 }, (_, q) => `q${n}-${q}`),
    )
    assert.deepEqual(textsOf('agent.message'), told[n]?.answers)
  }
})
