import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer, Client } from '../client.ts'

export interface DescribedOperation {
  operationId: string
  tags: string[]
  security: Record<string, string[]>[]
  description: string
  parameters?: { $ref?: string; name?: string; in?: string; schema?: Record<string, unknown> }[]
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>
  servers?: { url: string }[]
}

export interface FoundOperation extends DescribedOperation {
  method: string
  path: string
}

/** A deployment's description of its API, and what can be done with it. */
export class DescribedApi {
  // Tests read a document whose shape they are there to prove.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly document: any
  readonly operations: readonly FoundOperation[]
  readonly #checks: Ajv2020

  // oxlint-disable-next-line typescript/no-explicit-any
  constructor(document: any) {
    this.document = document
    const items = Object.entries<Record<string, DescribedOperation>>(document.paths)
    this.operations = items.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
    )
    this.#checks = new Ajv2020({ strict: false, formats: { 'date-time': true, binary: true } })
    this.#checks.addSchema({ ...document, $id: 'api' })
  }

  static async read(client: Client, path = '/openapi.json') {
    return new DescribedApi((await client.get(path)).body)
  }

  operation(id: string): FoundOperation {
    const found = this.operations.find(({ operationId }) => operationId === id)
    assert.ok(found, `no operation is called ${id}`)
    return found
  }

  /** Sends the example of an operation, and holds the answer against what is described. */
  async sendExample(client: Client, id: string, parameters: Record<string, string> = {}): Promise<Answer> {
    const { method, path, requestBody } = this.operation(id)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(parameters[name] ?? name),
    )
    const answer = await client.send(
      method.toUpperCase(),
      filled,
      requestBody?.content['application/json']?.example,
    )
    assert.ok(answer.status < 300, `${id} answered ${answer.status}: ${answer.text}`)
    this.holdToDescription(id, answer)
    return answer
  }

  holdToDescription(id: string, answer: Answer) {
    const { method, path } = this.operation(id)
    const place = ['paths', path, method, 'responses', String(answer.status)]
    const described = place.reduce<Record<string, never>>((at, name) => at[name] ?? {}, this.document)
    if (!('content' in described)) return assert.equal(answer.text, '', `${id} describes no body`)
    const pointer = [...place, 'content', 'application/json', 'schema'].map(escaped).join('/')
    const check = this.#checks.compile({ $ref: `api#/${pointer}` })
    assert.ok(check(answer.body), `${id}: ${JSON.stringify(check.errors)} of ${answer.text}`)
  }
}

const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
