import type { EventFrame, PreparedSet, PreparingSettled } from '@switchroom/contract/call-frames'
import { Acknowledgements } from './acknowledgements.ts'
import { Agent } from './agent.ts'
import { argumentsOf, payloadOf } from './arguments.ts'
import type { Call, CallDoor } from './call.ts'
import { Calls, mostKnown } from './calls.ts'
import { encoded } from './encoding.ts'
import { failureOf } from './errors.ts'
import type { ToolCall } from './events.ts'
import type { Held } from './held.ts'
import type { PhoneLine } from './line.ts'
import { ToolRuns } from './tool-runs.ts'

/** An event; one that a line receives too names the line. */
export type HappenedFrame = EventFrame & { line?: string }

export interface DrivenCallsParts extends CallDoor {
  agent: (name: string) => Agent | undefined
  line: (number: string) => PhoneLine | undefined
  /** Sent now or, without a connection, never. */
  sendNow: (text: string) => void
}

/** Passes the events of this process's calls to their handlers and tools. */
export class DrivenCalls {
  readonly toolRuns: ToolRuns
  readonly acknowledgements: Acknowledgements
  readonly #parts: DrivenCallsParts
  readonly #calls: Calls
  /** The line that has a call, by the call's id. */
  readonly #lineOf = new Map<string, PhoneLine>()

  constructor(parts: DrivenCallsParts) {
    this.#parts = parts
    this.#calls = new Calls(parts)
    this.toolRuns = new ToolRuns(parts.sendNow)
    this.acknowledgements = new Acknowledgements((frame) => parts.sendNow(encoded(frame)))
  }

  /** The agent or line that handles a call here. */
  driverOf(call: string): Held | undefined {
    return this.#lineOf.get(call) ?? this.#parts.agent(this.#calls.agentOf(call) ?? '')
  }

  /** The gateway refused what a call had sent under this name. */
  refused(call: string, request: string, why: string): void {
    this.#calls.known(call)?.refused(request, why)
  }

  happened(frame: HappenedFrame): void {
    const held = this.#heldFor(frame)
    if (!held) return
    if (this.#isRepeated(frame)) return this.#repeated(frame, held)
    // An agent's own `error` is about this process, so the log's entry goes by another name.
    const event = frame.type === 'error' ? 'call.error' : frame.type
    const call = this.#calls.of(frame)
    const payload = payloadOf(frame)
    if (call) this.#note(frame, call, payload)
    if (held instanceof Agent) held.seen(event, frame.call, payload)
    const answers = held.happened(event, argumentsOf(frame, call))
    if (event === 'call.preparing') void answers.then((sets) => this.#settle(held, frame, sets))
    if (event === 'llm.toolCall' && call) this.#askTools(held, call, payload)
  }

  /** No handler runs twice; a tool's result may be lost and is sent again. */
  #repeated(frame: HappenedFrame, held: Held): void {
    const call = frame.type === 'llm.toolCall' ? this.#calls.of(frame) : undefined
    if (call) this.#askTools(held, call, payloadOf(frame))
    if (frame.type === 'call.ended') this.#calls.forget(frame.call)
  }

  #askTools(held: Held, call: Call, payload: Record<string, unknown>): void {
    if (!(held instanceof Agent)) return
    for (const asked of payload['toolCalls'] as ToolCall[]) this.toolRuns.ask(held, call, asked)
  }

  #isRepeated({ call, seq, type, more, data }: HappenedFrame): boolean {
    if (seq !== undefined) return this.acknowledgements.isRepeated(call, seq, type, more)
    if (type !== 'llm.toolCall') return false
    return (data['toolCalls'] as ToolCall[]).every(({ id }) => this.toolRuns.has(call, id))
  }

  /** A line has its calls from `call` on until it handed them over or they ended. */
  #heldFor({ type, agent, call, line: number, data }: HappenedFrame): Held | undefined {
    if (type === 'call' || type === 'call.passed') this.#give(call, number ?? data['line'])
    if (number !== undefined) return this.#parts.line(number)
    if (type === 'call.routed' || type === 'call.started') this.#lineOf.delete(call)
    return this.#lineOf.get(call) ?? this.#parts.agent(agent)
  }

  #give(call: string, number: unknown): void {
    const line = typeof number === 'string' ? this.#parts.line(number) : undefined
    if (line) this.#lineOf.set(call, line)
    for (const oldest of this.#lineOf.keys()) {
      if (this.#lineOf.size <= mostKnown) break
      this.#lineOf.delete(oldest)
    }
  }

  #note({ type, line, data }: HappenedFrame, call: Call, payload: Record<string, unknown>): void {
    const { messageId, word } = payload
    if (type === 'bot.speaking') call.botBegins(String(messageId))
    if (type === 'bot.word') call.botSays(String(messageId), String(word))
    if (type === 'call.transferred') call.transferSettled(type, payload)
    if (type !== 'call.ended') return
    this.#lineOf.delete(call.id)
    if (line !== undefined && data['reason'] === 'routed') return // the call continues with the agent
    call.transferSettled(type, payload)
    this.toolRuns.callEnded(call.id)
    this.#calls.forget(call.id)
  }

  #settle(held: Held, { call, data }: EventFrame, sets: unknown[]): void {
    const settled: PreparingSettled = { type: 'preparing.settled', call, turn: Number(data['turn']) }
    const set = Object.assign({}, ...sets) as PreparedSet
    try {
      this.#parts.sendNow(encoded(sets.length > 0 ? { ...settled, set } : settled))
    } catch (cause) {
      this.#parts.sendNow(encoded(settled))
      held.tell(failureOf('what a handler of call.preparing set', cause))
    }
  }
}
