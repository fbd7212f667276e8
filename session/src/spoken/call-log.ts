import type { Entry, NewEntry } from '@switchroom/contract/log'

/** The entries that the gateway writes itself when it runs tools. */
const writtenElsewhere: ReadonlySet<string> = new Set(['llm.toolCall'])

/** The call's log as the conversation reads it: what is on its way to be kept is in it already. */
export class CallLog {
  readonly entries: Entry[]
  readonly #keep: (entries: readonly NewEntry[]) => Promise<void>
  readonly #lost: (error: unknown) => void
  #kept: Promise<void> = Promise.resolve()

  constructor(
    entries: readonly Entry[],
    keep: (entries: readonly NewEntry[]) => Promise<void>,
    lost: (error: unknown) => void,
  ) {
    this.entries = [...entries]
    this.#keep = keep
    this.#lost = lost
  }

  keep(added: readonly NewEntry[]): Promise<void> {
    for (const { type, data } of added) this.#add(type, { ...data })
    const entries = added.filter(({ type }) => !writtenElsewhere.has(type))
    if (entries.length === 0) return Promise.resolve()
    const kept = this.#keep(entries)
    this.#kept = this.#settle([this.#kept, kept])
    return kept
  }

  async #settle(kept: readonly Promise<void>[]) {
    try {
      await Promise.all(kept)
    } catch (error) {
      this.#lost(error)
    }
  }

  /** An entry that another process has written. */
  note({ type, data }: NewEntry) {
    this.#add(type, { ...data })
  }

  /** As it would read if that were in it. */
  with({ type, data }: NewEntry): Entry[] {
    return [...this.entries, this.#entry(type, { ...data })]
  }

  /** Kept without waiting for it. */
  write(added: readonly NewEntry[]) {
    if (added.length > 0) this.keep(added).catch(() => {})
  }

  /** Resolves once everything so far is kept, or lost. */
  get settled(): Promise<void> {
    return this.#kept
  }

  #add(type: string, data: Record<string, unknown>) {
    this.entries.push(this.#entry(type, data))
  }

  #entry(type: string, data: Record<string, unknown>): Entry {
    const last = this.entries.at(-1)
    const seq = (last?.seq ?? 0) + 1
    const { call = '', agent = '' } = last ?? {}
    return { seq, ts: Date.now() / 1_000, call, agent, type, ephemeral: false, data }
  }
}
