import type { BrowserCall } from './call.ts'
import { startChat, type BrowserChat } from './chat.ts'
import { ElementView } from './element-view.ts'
import { startCall } from './start-call.ts'

/** The gateway that this module came from: it serves it as /embed/switchroom.js. */
const servedBy = import.meta.url.replace(/\/embed\/[^/]*$/, '')
const agentLabels = { listening: 'Listening', thinking: 'Thinking…', speaking: 'Speaking' } as const
const ended: Readonly<Record<string, string>> = {
  hangup: 'The conversation has ended.',
  idle_timeout: 'The call ended because nobody spoke.',
  max_duration: 'The call reached its maximum duration.',
}

/** The gateway's sentences begin with a small letter. */
function onScreen(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/**
 * `<switchroom-call key="pk_…">`: talk to an agent or write to it. `url` is the gateway, by default the one that served
 * this module; `channels` is `voice chat`, `voice` or `chat`. Sends `switchroom-started` and `switchroom-ended`.
 */
export class SwitchroomCall extends HTMLElement {
  readonly #view: ElementView
  #call: BrowserCall | undefined
  #chat: BrowserChat | undefined
  /** Written while the chat opens, and sent once it is there. */
  #saidEarly: string[] = []
  #opening: AbortController | undefined
  #mode: 'closed' | 'voice' | 'chat' = 'closed'
  #status = ''
  #error: string | null = null

  constructor() {
    super()
    this.#view = new ElementView(this.attachShadow({ mode: 'open' }), {
      talk: () => void this.talk(),
      chat: () => void this.chat(),
      mute: () => this.#mute(),
      leave: () => this.leave(),
      say: (text) => (this.#chat ? this.#chat.say(text) : this.#saidEarly.push(text)),
    })
  }

  connectedCallback(): void {
    this.#view.offer((this.getAttribute('channels') ?? 'voice chat').split(/\s+/))
    this.#show()
  }

  /** An element that is taken out of its page hangs up. */
  disconnectedCallback(): void {
    this.leave()
  }

  /** Starts a spoken call. */
  async talk(): Promise<void> {
    await this.#begin('voice', async (signal) => {
      const call = await startCall({ ...this.#gateway, signal })
      this.#call = call
      const state = () => (call.state === 'reconnecting' ? 'Reconnecting…' : agentLabels[call.agentState])
      const show = () => this.#show(state())
      call.on('transcript', show)
      call.on('agent', show)
      call.on('state', show)
      call.on('ended', ({ reason }) => this.#end(reason))
      show()
      return call.id
    })
  }

  /** Starts a written chat. */
  async chat(): Promise<void> {
    await this.#begin('chat', async () => {
      const chat = await startChat(this.#gateway)
      this.#chat = chat
      const show = () => this.#show(chat.isAnswering ? agentLabels.thinking : '')
      chat.on('line', show)
      chat.on('refused', (sentence) => {
        this.#error = onScreen(sentence)
        show()
      })
      chat.on('state', (state) => {
        if (state === 'ended') this.#end('hangup')
        else if (state === 'closed')
          this.#fail(new Error('The chat could not be opened. Try again in a moment.'))
        else show()
      })
      for (const text of this.#saidEarly.splice(0)) chat.say(text)
      return chat.call
    })
  }

  /** Hangs up, or ends the chat. */
  leave(): void {
    this.#opening?.abort()
    this.#call?.hangUp()
    this.#chat?.end()
    if (this.#mode !== 'closed') this.#end('hangup')
  }

  get #gateway(): { url: string; key: string; page: { path: string } } {
    const url = this.getAttribute('url') ?? servedBy
    return { url, key: this.getAttribute('key') ?? '', page: { path: location.pathname } }
  }

  async #begin(mode: 'voice' | 'chat', open: (signal: AbortSignal) => Promise<string | null>): Promise<void> {
    if (this.#mode !== 'closed') return
    const opening = (this.#opening = new AbortController())
    this.#call = undefined
    this.#chat = undefined
    this.#saidEarly = []
    this.#mode = mode
    this.#error = null
    this.#show('Connecting…')
    try {
      const call = await open(opening.signal)
      if (opening.signal.aborted) return this.leave()
      this.dispatchEvent(new CustomEvent('switchroom-started', { detail: { call }, bubbles: true }))
    } catch (error) {
      if (!opening.signal.aborted) this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#mode = 'closed'
    this.#error = onScreen(error)
    this.#show('')
  }

  #end(reason: string): void {
    if (this.#mode === 'closed') return
    this.#mode = 'closed'
    this.#error = ended[reason] ?? 'The call was cut off. Try again.'
    this.#show('')
    this.dispatchEvent(new CustomEvent('switchroom-ended', { detail: { reason }, bubbles: true }))
  }

  #mute(): void {
    this.#call?.mute(!this.#call.isMuted)
    this.#show()
  }

  #show(status = this.#status): void {
    this.#status = status
    this.#view.show({
      mode: this.#mode,
      status,
      error: this.#error,
      lines: this.#call?.transcript ?? this.#chat?.lines ?? [],
      isMuted: this.#call?.isMuted ?? false,
      agent: this.#call?.agent ?? this.#chat?.agent ?? 'the agent',
    })
  }
}
