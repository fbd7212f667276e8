import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a model was asked, as it came over the wire. */
export interface AskedModel {
  model: string
  temperature?: number
  messages: { role: string; content: string | null; tool_calls?: object[]; tool_call_id?: string }[]
  tools?: { function: { name: string; description: string; parameters: object } }[]
  /** Of the request, without `Bearer`. */
  key: string
}

/** What it answers: words, calls of tools, or a fault. */
export type ModelReply =
  | string
  | { text?: string; calls: { id?: string; name: string; arguments?: object }[] }
  | { fault: 'hangs' | 'refuses' }

export const hangs = { fault: 'hangs' } as const
export const refuses = { fault: 'refuses' } as const

/** A model behind the chat-completions wire on loopback, which answers as the test says. */
export class ModelFake {
  readonly asked: AskedModel[] = []
  reply: (asked: AskedModel) => ModelReply | Promise<ModelReply>
  /** Requests that the other side has not closed. */
  open = 0
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  private constructor(reply: ModelFake['reply']) {
    this.reply = reply
  }

  static async start(reply: ModelFake['reply'] = () => 'Hello.'): Promise<ModelFake> {
    const fake = new ModelFake(reply)
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get url() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The words of the last message of each request, by its role. */
  get heard(): string[] {
    return this.asked.map(({ messages }) => {
      const { role, content } = messages.at(-1) ?? { role: 'nobody', content: '' }
      return `${role}: ${content}`
    })
  }

  async stop() {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    this.open += 1
    response.once('close', () => (this.open -= 1))
    const body = Buffer.concat(await request.on('error', () => {}).toArray())
    const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const asked = { ...(JSON.parse(body.toString()) as AskedModel), key }
    this.asked.push(asked)
    const reply = await this.reply(asked)
    if (response.destroyed || reply === hangs) return
    if (typeof reply === 'object' && 'fault' in reply) {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'the fake says no' } }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunksOf(reply)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

function chunksOf(reply: Exclude<ModelReply, { fault: string }>): object[] {
  const { text = '', calls = [] } = typeof reply === 'string' ? { text: reply } : reply
  const tool_calls = calls.map((call, index) => {
    const id = call.id ?? `made_${Math.random().toString(16).slice(2)}`
    const given = JSON.stringify(call.arguments ?? {})
    return { index, id, type: 'function', function: { name: call.name, arguments: given } }
  })
  const half = Math.ceil(text.length / 2)
  const deltas = [
    { role: 'assistant', content: text.slice(0, half) },
    { content: text.slice(half) },
    ...(tool_calls.length > 0 ? [{ tool_calls }] : []),
  ]
  return [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } },
  ]
}
