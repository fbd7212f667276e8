import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { Agent, Chat, connect, tool, Type } from '@switchroom/sdk'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'

export interface ChatGateway {
  gateway: GatewayProcess
  key: string
  /** Of the requests that the model got. */
  traceparents: (string | undefined)[]
  /** Says these words to the agent, which looks them up; answers the call once it has ended. */
  chat: (words: string) => Promise<string>
  get: (path: string) => Promise<Record<string, unknown>>
}

/** A gateway in a process of its own, with a model on loopback and an agent that has a tool. */
export async function startChatGateway(t: Lasting, settings: Record<string, string>): Promise<ChatGateway> {
  const database = await migratedDatabase()
  afterwards(t, () => database.drop())
  const traceparents: ChatGateway['traceparents'] = []
  const model = createServer((request, response) => {
    traceparents.push(request.headers['traceparent'] as string | undefined)
    void answerModel(request, response)
  })
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  afterwards(t, () => model.close() && model.closeAllConnections())
  const gateway = await startedGateway(database.url, {
    SVC_PROVIDER_KEY_OPENAI: 'key-of-the-model',
    ...settings,
  })
  afterwards(t, () => {
    gateway.child.kill('SIGKILL')
    return gateway.ended
  })
  const ask = async (method: string, path: string, body?: object) => {
    const response = await gateway.send(method, path, body)
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return response.json() as Promise<any> // oxlint-disable-line typescript/no-explicit-any -- answers of many shapes
  }
  await ask('POST', '/v1/ops/orgs', { slug: 'traced', name: 'Traced' })
  const row = await ask('GET', '/v1/ops/providers')
  row.defaults.llm = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: `http://127.0.0.1:${(model.address() as AddressInfo).port}` }
  await ask('PUT', '/v1/ops/providers', row)
  const scopes = ['app', 'talk', 'calls']
  const { key } = await ask('POST', '/v1/ops/orgs/traced/keys', { label: 'traced', env: 'sandbox', scopes })
  const address = { url: gateway.url, key }
  const app = connect(address)
  app.on('disconnected', () => {})
  afterwards(t, () => app.close())
  const lookUp = tool({
    name: 'look_up',
    description: 'looks a question up',
    parameters: Type.Object({ question: Type.String() }),
    run: async ({ question }) => question,
  })
  await app.hold(new Agent({ name: 'desk', prompt: 'Look everything up.', tools: [lookUp] }))

  return {
    gateway,
    key,
    traceparents,
    async chat(words) {
      const chat = new Chat({ ...address, agent: 'desk' })
      const answered = new Promise((resolve) => chat.on('message', resolve))
      const call = await chat.started
      await chat.send(words)
      await answered
      await chat.end()
      return call
    },
    async get(path) {
      const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(response.status, 200)
      return (await response.json()) as Record<string, unknown>
    },
  }
}

/** A model that looks every question up first, and then answers with what the tool returned. */
async function answerModel(request: IncomingMessage, response: ServerResponse) {
  const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
    messages: { role: string; content: string }[]
  }
  const { role, content } = messages.at(-1) ?? { role: 'user', content: '' }
  const asked = { name: 'look_up', arguments: JSON.stringify({ question: content }) }
  const delta =
    role === 'tool'
      ? { content: `answer to ${content}` }
      : { tool_calls: [{ index: 0, id: 'call_1', function: asked }] }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (part: object) => response.write(`data: ${JSON.stringify(part)}\n\n`)
  chunk({ choices: [{ index: 0, delta }] })
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: role === 'tool' ? 'stop' : 'tool_calls' }] })
  response.end('data: [DONE]\n\n')
}
