import type { ToolResult } from '@switchroom/contract/call-frames'
import type { Agent } from './agent.ts'
import type { Call } from './call.ts'
import { encoded } from './encoding.ts'
import { failureOf, messageOf } from './errors.ts'
import type { ToolCall } from './events.ts'

const keptForMs = 60 * 60 * 1000
const mostKept = 10_000
const mostKeptBytes = 32 * 1024 * 1024
const longestError = 2000

interface Done {
  call: string
  /** The frame with the result. */
  outcome: string
  isReceived: boolean
  at: number
}

/** The tool runs of this process: each runs once, also if the gateway asks twice. */
export class ToolRuns {
  readonly #send: (text: string) => void
  readonly #now: () => number
  /** By call and id. */
  readonly #running = new Map<string, Promise<void>>()
  /** By call and id, the longest done first. */
  readonly #done = new Map<string, Done>()
  readonly #unreceived = new Set<string>()
  #keptBytes = 0
  #onReceived: () => void = () => {}

  constructor(send: (text: string) => void, now: () => number = Date.now) {
    this.#send = send
    this.#now = now
  }

  /** A running tool answers when it is done, a finished one answers again; another agent's tool is ignored. */
  ask(agent: Agent, call: Call, asked: ToolCall): void {
    const key = keyOf(call.id, asked.id)
    const done = this.#done.get(key)
    if (done) return this.#answer(key, done.outcome)
    if (this.#running.has(key) || !agent.tool(asked.name)) return
    const running = this.#run(key, agent, call, asked)
    this.#running.set(key, running)
    void running.finally(() => this.#running.delete(key))
  }

  /** Whether it was asked for before. */
  has(call: string, id: string): boolean {
    const key = keyOf(call, id)
    return this.#running.has(key) || this.#done.has(key)
  }

  /** The gateway has the outcome. */
  received(call: string, id: string): void {
    this.#settle(keyOf(call, id))
    this.#onReceived()
  }

  /** After the connection was lost: what was sent may not have arrived. */
  sendAgain(): void {
    this.#forgetOld()
    for (const key of this.#unreceived) {
      const done = this.#done.get(key)
      if (done) this.#send(done.outcome)
    }
  }

  /** Drops the tool runs of a call that ended. */
  callEnded(call: string): void {
    for (const key of this.#unreceived) if (this.#done.get(key)?.call === call) this.#settle(key)
    this.#onReceived()
  }

  /** Resolves when nothing runs and every outcome has arrived. */
  async drained(): Promise<void> {
    await Promise.all(this.#running.values())
    await new Promise<void>((resolve) => {
      this.#onReceived = () => this.#unreceived.size === 0 && resolve()
      this.#onReceived()
    })
  }

  async #run(key: string, agent: Agent, call: Call, { id, name, arguments: args }: ToolCall): Promise<void> {
    const frame = { type: 'tool.result', call: call.id, id } as const
    let outcome: string
    try {
      const result = await agent.tool(name)?.perform(args, call)
      outcome = encoded({ ...frame, result: result ?? null } satisfies ToolResult)
    } catch (cause) {
      outcome = encoded({ ...frame, error: messageOf(cause).slice(0, longestError) } satisfies ToolResult)
      agent.tell(failureOf(`the tool ${name}`, cause))
    }
    const isWaitedFor = call.reason === undefined
    this.#done.set(key, { call: call.id, outcome, isReceived: !isWaitedFor, at: this.#now() })
    this.#keptBytes += outcome.length
    if (isWaitedFor) this.#answer(key, outcome)
    this.#forgetOld()
  }

  #answer(key: string, outcome: string): void {
    this.#unreceived.add(key)
    this.#send(outcome)
  }

  #settle(key: string): void {
    const done = this.#done.get(key)
    if (done) done.isReceived = true
    this.#unreceived.delete(key)
  }

  #forgetOld(): void {
    const oldest = this.#now() - keptForMs
    for (const [key, { outcome, isReceived, at }] of this.#done) {
      const isTooMuch = this.#done.size > mostKept || this.#keptBytes > mostKeptBytes
      if (at > oldest && !isTooMuch) return
      if (at > oldest && !isReceived) continue
      this.#done.delete(key)
      this.#unreceived.delete(key)
      this.#keptBytes -= outcome.length
    }
  }
}

const keyOf = (call: string, id: string) => `${call}\n${id}`
