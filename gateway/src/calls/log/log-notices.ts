import { longestSignal, type Signals } from '../../database/signals.ts'
import type { KeptEntry, LogRef, Stamped } from './entries.ts'
import * as store from './log.store.ts'

/** Each notice wakes every gateway, so that a busy one sends them this far apart. */
const apartMs = 30

/** Notifies the other gateways, after the commit, which logs grew, and of ephemeral entries: one notice for many. */
export class LogNotices {
  readonly #signals: Signals
  readonly #gateway: string
  /** Up to which `seq`. */
  readonly #grown = new Map<string, number>()
  #shown: string[] = []
  #timer: NodeJS.Timeout | undefined
  #sentAtMs = Number.NEGATIVE_INFINITY

  constructor(signals: Signals, gateway: string) {
    this.#signals = signals
    this.#gateway = gateway
  }

  grew({ id }: LogRef, entries: readonly KeptEntry[]) {
    this.#grown.set(id, Math.max(this.#grown.get(id) ?? 0, entries.at(-1)?.seq ?? 0))
    this.#soon()
  }

  showed({ id }: LogRef, { type, rest }: Stamped) {
    this.#shown.push(JSON.stringify([id, type, rest]))
    this.#soon()
  }

  /** What waits, at once. */
  flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const messages = [...[...this.#grown].map((grown) => JSON.stringify(grown)), ...this.#shown]
    this.#grown.clear()
    this.#shown = []
    for (const payload of packed(this.#gateway, messages)) this.#signals.send(store.logChannel, payload)
    this.#sentAtMs = performance.now()
  }

  #soon() {
    this.#timer ??= setTimeout(
      () => this.flush(),
      Math.max(0, this.#sentAtMs + apartMs - performance.now()),
    ).unref()
  }
}

/** Packs messages into as few notices as possible; a message too long for one stays on this gateway. */
function packed(gateway: string, messages: readonly string[]): string[] {
  const payloads: string[] = []
  let payload = gateway
  let bytes = gateway.length
  for (const message of messages) {
    const size = Buffer.byteLength(message) + 1
    if (gateway.length + size > longestSignal) continue
    if (bytes + size > longestSignal) {
      payloads.push(payload)
      payload = gateway
      bytes = gateway.length
    }
    payload += `\n${message}`
    bytes += size
  }
  return payload === gateway ? payloads : [...payloads, payload]
}
