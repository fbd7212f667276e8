import { contentMessage, outcomeOf, said, type ClientMessage, type Content } from './realtime-messages.ts'

/** About a minute of speech. */
const mostMessages = 4_000

/**
 * What the vendor was sent after the state that its newest handle restores. A connection that breaks is opened
 * again with that handle, and sent all of this.
 */
export class Journal {
  #handle: string | null = null
  #messages: ClientMessage[] = []
  /** Where what is not answered yet begins. */
  #unanswered: number | null = null
  /** Where the newest activity begins. */
  #activity: number | null = null

  get handle(): string | null {
    return this.#handle
  }

  get messages(): readonly ClientMessage[] {
    return this.#messages
  }

  add(messages: readonly ClientMessage[]) {
    for (const message of messages) {
      if (message.contextUpdate) continue // a connection is opened with it
      const at = this.#messages.push(message) - 1
      if (message.realtimeInput?.activityStart) this.#activity = at
      const isAsked = message.toolResponse !== undefined || message.clientContent?.turnComplete === true
      if (isAsked || message.realtimeInput?.activityStart) this.#unanswered ??= at
    }
    while (this.#messages.length > mostMessages) if (!this.#dropOldestSound()) return
  }

  /** A reply is over: what was answered becomes words, of which none is asked for again. */
  answered(heard: string, answer: string, isActivityOpen: boolean) {
    const from = this.#unanswered
    if (from === null) return
    const until = isActivityOpen && this.#activity !== null ? this.#activity : this.#messages.length
    const contents = this.#messages.slice(from, until).flatMap(contentsIn)
    const turns = [...said(heard, ''), ...contents, ...said('', answer)]
    const words = turns.length > 0 ? [contentMessage(turns, false)] : []
    this.#messages.splice(from, until - from, ...words)
    this.#activity = this.#unanswered = isActivityOpen ? from + words.length : null
  }

  /** The handle restores everything but what is being said or answered. */
  resumable(handle: string) {
    this.#handle = handle
    const known = this.#unanswered ?? this.#messages.length
    this.#messages.splice(0, known)
    if (this.#unanswered !== null) this.#unanswered = 0
    if (this.#activity !== null) this.#activity = Math.max(0, this.#activity - known)
  }

  #dropOldestSound(): boolean {
    const at = this.#messages.findIndex(({ realtimeInput }) => realtimeInput?.audio !== undefined)
    if (at < 0) return false
    this.#messages.splice(at, 1)
    if (this.#activity !== null && at < this.#activity) this.#activity -= 1
    if (this.#unanswered !== null && at < this.#unanswered) this.#unanswered -= 1
    return true
  }
}

function contentsIn({ clientContent, toolResponse }: ClientMessage): Content[] {
  const outcomes = toolResponse?.functionResponses ?? []
  return [
    ...(clientContent?.turns ?? []),
    ...outcomes.map(({ name, response }) => outcomeOf(name, response.output)),
  ]
}
