import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  chatChunks,
  wholeChat,
  type EndpointForm,
  type EndpointReply,
  type EndpointRequest,
} from './endpoint-chat.ts'
import { responseEvents, wholeResponse } from './endpoint-responses.ts'

export type { EndpointReply } from './endpoint-chat.ts'

/** What an endpoint was asked, as it came over the wire. */
export interface AskedEndpoint {
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: EndpointRequest
}

/** An OpenAI-compatible server, or a resource of Azure OpenAI with one deployment, of the name of the model. */
export interface EndpointKind {
  form: EndpointForm
  model: string
  /** Null if it takes no key. */
  key: string | null
  /** That it serves; of Azure's deployment form alone. */
  apiVersion?: string
}

/** A certificate of the server's own. */
interface Tls {
  key: string
  cert: string
}

/** A model endpoint that an org could run itself, on loopback: it serves what its kind serves, and nothing else. */
export class EndpointFake implements AsyncDisposable {
  readonly asked: AskedEndpoint[] = []
  kind: EndpointKind
  reply: (asked: AskedEndpoint) => EndpointReply | Promise<EndpointReply> = () => ({
    text: ['They are', ' on their way.'],
  })
  port = 0
  readonly #server: Server
  readonly #scheme: 'http' | 'https'

  private constructor(kind: EndpointKind, tls: Tls | undefined) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response)
    this.kind = kind
    this.#server = tls ? createSecureServer(tls, answer) : createServer(answer)
    this.#scheme = tls ? 'https' : 'http'
  }

  /** Over https if it has a certificate. */
  static async start(kind: Partial<EndpointKind> = {}, tls?: Tls): Promise<EndpointFake> {
    const fake = new EndpointFake(
      {
        form: 'openai',
        model: 'llama-3.3',
        key: 'sk-endpoint-0123456789',
        ...kind,
      },
      tls,
    )
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    fake.port = (fake.#server.address() as AddressInfo).port
    return fake
  }

  get origin() {
    return `${this.#scheme}://127.0.0.1:${this.port}`
  }

  /** As a user of the endpoint writes it. */
  get url() {
    return this.kind.form === 'azure' ? this.origin : `${this.origin}/v1`
  }

  async stop() {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  [Symbol.asyncDispose]() {
    return this.stop()
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const text = Buffer.concat(await request.on('error', () => {}).toArray()).toString()
    const { pathname: path, searchParams } = new URL(request.url ?? '/', this.origin)
    const query = Object.fromEntries(searchParams)
    const body = (text === '' ? {} : JSON.parse(text)) as EndpointRequest
    const asked = { path, query, headers: request.headers, body }
    this.asked.push(asked)
    const refusal = this.#refusalOf(request.method, asked)
    const reply = refusal ?? (await this.reply(asked))
    if ('status' in reply) return json(response, reply.status, { error: reply.error })
    if (path.endsWith('/responses')) {
      if (!body.stream) return json(response, 200, wholeResponse(body, reply))
      return stream(
        response,
        responseEvents(body, reply).map(
          (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
        ),
      )
    }
    if (!body.stream) return json(response, 200, wholeChat(body, reply))
    const chunks = chatChunks(body, reply, this.kind.form)
    return stream(response, [
      ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
      'data: [DONE]\n\n',
    ])
  }

  #refusalOf(method: string | undefined, asked: AskedEndpoint): EndpointReply | undefined {
    const { form, model, key, apiVersion } = this.kind
    const { path, query, headers, body } = asked
    const sent = form === 'azure' ? headers['api-key'] : headers.authorization?.replace(/^Bearer /, '')
    if (key !== null && sent !== key)
      return refusal(401, `Incorrect API key provided: ${String(sent)}.`, 'invalid_api_key')
    const paths =
      form === 'azure'
        ? [`/openai/deployments/${encodeURIComponent(model)}/chat/completions`, '/openai/responses']
        : ['/v1/chat/completions', '/v1/responses']
    if (method !== 'POST' || (form === 'azure' && query['api-version'] !== apiVersion))
      return refusal(404, 'Resource not found', '404')
    if (!paths.includes(path))
      return path.includes('/deployments/')
        ? refusal(404, 'The API deployment for this resource does not exist.', 'DeploymentNotFound')
        : refusal(404, 'Not Found', 'not_found')
    const isNamed = !path.includes('/deployments/')
    if (isNamed && body.model !== model)
      return refusal(404, `The model \`${String(body.model)}\` does not exist.`, 'model_not_found')
    return undefined
  }
}

const refusal = (status: number, message: string, code: string): EndpointReply => ({
  status,
  error: { message, code, type: 'invalid_request_error', param: null },
})

function json(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function stream(response: ServerResponse, frames: readonly string[]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of frames) response.write(frame)
  response.end()
}
