import { readFileSync } from 'node:fs'
import { Account } from '../gateway/account.ts'
import { Credentials } from '../gateway/credentials.ts'
import { reasonOf, wrongUsage } from '../terminal/failures.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { Output } from '../terminal/output.ts'
import { readStandardInput } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'

export interface Given {
  arguments: Record<string, string | string[]>
  options: Record<string, string | boolean | string[] | undefined>
}

/** One run of a command: its arguments, its output and its account. */
export class Invocation {
  readonly environment: NodeJS.ProcessEnv
  readonly out: Output
  readonly credentials: Credentials
  readonly #given: Given
  #account: Account | undefined

  constructor(environment: NodeJS.ProcessEnv, given: Given) {
    this.environment = environment
    this.out = new Output(environment)
    this.credentials = new Credentials(environment)
    this.#given = given
  }

  get isJson(): boolean {
    return this.flag('json')
  }

  get account(): Account {
    const { credentials, environment } = this
    return (this.#account ??= new Account(environment, credentials, {
      gateway: this.#namedGateway(),
      org: this.option('org'),
      env: this.option('env'),
    }))
  }

  /** Of `--gateway`, or of the argument of `svc login`. */
  #namedGateway(): string | undefined {
    const [argument, option] = [this.optional('gateway-url'), this.option('gateway')]
    if (argument !== undefined && option !== undefined)
      throw wrongUsage('the gateway is given twice: leave out --gateway')
    return argument ?? option
  }

  client(): Promise<GatewayClient> {
    return this.account.client()
  }

  operator(): Promise<GatewayClient> {
    return this.account.operator()
  }

  argument(name: string): string {
    return this.optional(name) ?? ''
  }

  optional(name: string): string | undefined {
    const value = this.#given.arguments[name]
    return typeof value === 'string' ? value : undefined
  }

  rest(name: string): string[] {
    const value = this.#given.arguments[name]
    return Array.isArray(value) ? value : []
  }

  option(name: string): string | undefined {
    const value = this.#given.options[name]
    return typeof value === 'string' ? value : undefined
  }

  /** A required option. */
  needed(name: string): string {
    const value = this.option(name)
    if (value === undefined) throw wrongUsage(`--${name} is missing`)
    return value
  }

  number(name: string): number | undefined {
    const value = this.option(name)
    if (value === undefined) return undefined
    if (value.trim() === '' || Number.isNaN(Number(value))) throw wrongUsage(`--${name} must be a number`)
    return Number(value)
  }

  flag(name: string): boolean {
    return this.#given.options[name] === true
  }

  list(name: string): string[] | undefined {
    const value = this.#given.options[name]
    return Array.isArray(value) ? value : undefined
  }

  /** With `--json` the answer as it came, otherwise what `show` prints. */
  answer<Answer>(answer: Answer, show: (answer: Answer) => void): void {
    if (this.isJson) this.out.json(answer)
    else show(answer)
  }

  /** A page of a list, with the cursor of the next page as its last line. */
  page<Row>(
    answer: { next: string | null },
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    empty: string,
  ): void {
    this.answer(answer, ({ next }) => {
      this.out.table(rows, columns, empty)
      if (next !== null) this.out.line(`next: ${next}`)
    })
  }

  /** The text of a file, or of standard input for `-`. */
  async textOf(file: string): Promise<string> {
    if (file === '-') return readStandardInput()
    return (await this.bytesOf(file)).toString('utf8')
  }

  async bytesOf(file: string): Promise<Buffer> {
    try {
      return readFileSync(file)
    } catch (error) {
      throw wrongUsage(`${file} could not be read: ${reasonOf(error)}`)
    }
  }

  async jsonOf(file: string): Promise<unknown> {
    const text = await this.textOf(file)
    try {
      return JSON.parse(text) as unknown
    } catch (error) {
      throw wrongUsage(`${file === '-' ? 'standard input' : file} is not JSON: ${reasonOf(error)}`)
    }
  }
}
