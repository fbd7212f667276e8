import type { PageEvent } from '@switchroom/contract/browser-calls'

export type AgentState = 'listening' | 'thinking' | 'speaking'

/** What one side said in one turn. */
export interface Line {
  id: string
  who: 'user' | 'agent'
  text: string
  /** Nothing changes it any more. */
  isFinal: boolean
}

const stateAfter: Partial<Record<PageEvent['type'], AgentState>> = {
  'turn.end': 'thinking',
  'turn.continued': 'listening',
  'bot.speaking': 'speaking',
  'bot.finished': 'listening',
  'bot.interrupted': 'listening',
}

/** Makes lines and the agent's state of what the gateway shows of a call. */
export class Transcript {
  #lines: readonly Line[] = []
  #state: AgentState = 'listening'
  #turn = 0

  get lines(): readonly Line[] {
    return this.#lines
  }

  get state(): AgentState {
    return this.#state
  }

  /** The line that the event changed, if it changed one. */
  take({ type, data }: PageEvent): Line | undefined {
    this.#state = stateAfter[type] ?? this.#state
    if (type === 'user.speaking') return this.#put(this.#turnId, 'user', data.text ?? '', false)
    if (type === 'user.message') {
      const line = this.#put(this.#turnId, 'user', data.text ?? '', true)
      this.#turn += 1
      return line
    }
    const { messageId } = data
    if (messageId === undefined) return undefined
    if (type === 'bot.word') return this.#say(messageId, data.word ?? '')
    if (type === 'agent.message') return this.#put(messageId, 'agent', data.text ?? '', true)
    return undefined
  }

  get #turnId(): string {
    return `turn-${this.#turn}`
  }

  /** Words come as they are heard; the whole text replaces them at the end. */
  #say(id: string, word: string): Line | undefined {
    const known = this.#lines.find((line) => line.id === id)
    if (known?.isFinal) return undefined
    return this.#put(id, 'agent', known ? `${known.text} ${word}` : word, false)
  }

  #put(id: string, who: Line['who'], text: string, isFinal: boolean): Line {
    const line: Line = { id, who, text, isFinal }
    const isKnown = this.#lines.some((one) => one.id === id)
    this.#lines = isKnown ? this.#lines.map((one) => (one.id === id ? line : one)) : [...this.#lines, line]
    return line
  }
}
