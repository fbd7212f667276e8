import assert from 'node:assert/strict'
import { refusalCodes, type RefusalCode } from '@switchroom/contract/refusal-codes'
import type { Environment } from '@switchroom/contract/scopes'
import type { Routes } from '../src/http/routes.ts'
import { openSocket } from './http/sockets.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  bytes: Buffer
  // Tests read fields of answers whose shape they are there to prove.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

interface Sent extends Omit<RequestInit, 'headers'> {
  headers?: Record<string, string>
}

/** Speaks to a deployment over HTTP, as one credential; an answer no route documents fails the test. */
export class Client {
  readonly #base: string
  readonly #routes: Routes
  readonly #headers: Record<string, string>

  constructor(base: string, routes: Routes, headers: Record<string, string> = {}) {
    this.#base = base
    this.#routes = routes
    this.#headers = headers
  }

  with(headers: Record<string, string>): Client {
    return new Client(this.#base, this.#routes, { ...this.#headers, ...headers })
  }

  as(key: string): Client {
    return this.with({ authorization: `Bearer ${key}` })
  }

  in(env: Environment): Client {
    return this.with({ 'svc-env': env })
  }

  get = (path: string) => this.send('GET', path)
  delete = (path: string) => this.send('DELETE', path)
  post = (path: string, body?: unknown) => this.send('POST', path, body)
  put = (path: string, body?: unknown) => this.send('PUT', path, body)
  patch = (path: string, body?: unknown) => this.send('PATCH', path, body)

  /** A socket, or how it was refused. */
  open = (path: string) => openSocket(this.#base + path, this.#headers)

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers =
      body === undefined ? this.#headers : { ...this.#headers, 'content-type': 'application/json' }
    return this.raw(path, { method, headers, ...sent })
  }

  async raw(path: string, { headers: own = {}, ...init }: Sent = {}): Promise<Answer> {
    const headers = { ...this.#headers, ...own }
    const response = await fetch(this.#base + path, { redirect: 'manual', ...init, headers })
    const bytes = await wholeBodyOf(response)
    const text = bytes.toString('utf8')
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      bytes,
      body: isJson ? JSON.parse(text) : undefined,
    }
    this.#refuseUndocumented(init.method ?? 'GET', path, answer)
    return answer
  }

  #refuseUndocumented(method: string, path: string, answer: Answer) {
    const [pathname = ''] = path.split('?')
    const route = this.#routes.at(method, pathname)
    if (!route) return
    const documented = Object.keys(route.schema.response ?? {})
    assert.ok(
      documented.includes(String(answer.status)),
      `${method} ${route.path} answered ${answer.status} (${answer.text}) and documents only ${documented.join(', ')}`,
    )
  }
}

/** Asserts a refusal: its status, its one sentence, and a code that belongs to the status. */
export function refused(answer: Answer, status: number, sentence: string | RegExp) {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.body ?? {}), ['detail', 'code'], answer.text)
  assert.equal(refusalCodes[answer.body.code as RefusalCode]?.status, status, answer.text)
  if (typeof sentence === 'string') assert.equal(answer.body.detail, sentence)
  else assert.match(answer.body.detail, sentence)
}

/** Asserts a refusal of a listener that answers with codes. */
export function refusedWithCode(answer: Answer, status: number, code: string, sentence: string) {
  assert.deepEqual([answer.status, answer.body], [status, { error: sentence, code }], answer.text)
}

/** A stream of events does not end: it is cancelled as soon as it is open, and an EventReader reads it instead. */
async function wholeBodyOf(response: Response): Promise<Buffer> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream) return Buffer.from(await response.arrayBuffer())
  await response.body?.cancel()
  return Buffer.alloc(0)
}
