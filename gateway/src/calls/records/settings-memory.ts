import type { ScopeSettings } from './resolution.store.ts'

/** Of the text it was read from; in memory it is a small multiple. */
const usualBytes = 16 * 1024 * 1024

interface Remembered {
  epoch: number
  /** Many calls share it. */
  settings: ScopeSettings
  bytes: number
}

/** Settings of the scopes that calls were resolved for last, each with the epoch that it holds for. */
export class SettingsMemory {
  readonly #mostBytes: number
  /** The one that was used longest ago is first. */
  readonly #scopes = new Map<string, Remembered>()
  #bytes = 0

  constructor(mostBytes = usualBytes) {
    this.#mostBytes = mostBytes
  }

  of(scope: string, epoch: number): ScopeSettings | undefined {
    const found = this.#scopes.get(scope)
    if (found?.epoch !== epoch) return undefined
    this.#scopes.delete(scope)
    this.#scopes.set(scope, found)
    return found.settings
  }

  keep(scope: string, remembered: Remembered) {
    this.#forget(scope)
    this.#scopes.set(scope, remembered)
    this.#bytes += remembered.bytes
    for (const oldest of this.#scopes.keys()) {
      if (this.#bytes <= this.#mostBytes) break
      this.#forget(oldest)
    }
  }

  #forget(scope: string) {
    this.#bytes -= this.#scopes.get(scope)?.bytes ?? 0
    this.#scopes.delete(scope)
  }
}
