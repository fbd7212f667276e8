import { createInterface, type Interface } from 'node:readline'
import type { Chat } from '@switchroom/sdk/chat'
import { exitCodes } from '../terminal/exit-codes.ts'
import { unreachable } from '../terminal/failures.ts'
import type { Output } from '../terminal/output.ts'
import { plain } from '../terminal/text-width.ts'

interface Parties {
  agent: string
  url: string
  out: Output
  isJson: boolean
}

/** How long to wait for an answer to piped input. */
const answerMs = 60_000

/** A chat in a terminal, or between two pipes. */
export class Conversation {
  readonly #chat: Chat
  readonly #with: Parties
  readonly #isTerminal: boolean
  readonly #input: Interface
  readonly #lines: AsyncIterator<string>
  /** Why it ended or never began. */
  readonly #over = Promise.withResolvers<string>()
  #hasStarted = false
  #isLost = false
  #heardSeq = 0
  #answeredSeq = 0
  #onAnswer = () => {}

  constructor(chat: Chat, parties: Parties) {
    this.#chat = chat
    this.#with = parties
    this.#isTerminal = process.stdin.isTTY && parties.out.isTerminal && !parties.isJson
    this.#input = createInterface({
      input: process.stdin,
      output: this.#isTerminal ? process.stdout : undefined,
      prompt: parties.out.style('dim', 'you: '),
    })
    this.#lines = this.#input[Symbol.asyncIterator]() // from the start, so that early input is not lost
    this.#input.on('SIGINT', () => void chat.end().then(() => process.exit(exitCodes.interrupted)))
    this.#over.promise.catch(() => {}) // a rejection that is not awaited is not an error
    this.#listen()
  }

  /** Settles when either side has ended it. */
  async run(): Promise<void> {
    try {
      await this.#converse()
    } finally {
      this.#input.close()
      void this.#chat.end() // stops retrying a gateway that never answered
    }
  }

  async #converse(): Promise<void> {
    const call = await Promise.race([this.#chat.started, this.#over.promise])
    this.#hasStarted = true
    if (this.#isTerminal) this.#show(`Chatting with ${this.#with.agent} in ${call}. Press Ctrl-D to end.`)
    const ended = this.#over.promise.then((reason) => ({ reason }))
    for (;;) {
      const next = await Promise.race([this.#lines.next(), ended])
      if ('reason' in next) return this.#aside(`(the conversation ended: ${plain(next.reason)})`)
      if (next.done === true) return this.#leave()
      await this.#say(next.value)
    }
  }

  async #say(text: string): Promise<void> {
    if (text.trim() !== '') {
      const heard = await this.#chat.send(text).catch((error: Error) => this.#aside(`(${error.message})`))
      this.#heardSeq = heard?.seq ?? this.#heardSeq
    }
    if (this.#isTerminal) this.#input.prompt()
    else await this.#answered()
  }

  /** Piped input waits for an answer before the next line. */
  async #answered(): Promise<void> {
    if (this.#answeredSeq > this.#heardSeq || this.#heardSeq === 0) return
    const answered = new Promise<void>((resolve) => {
      this.#onAnswer = resolve
      setTimeout(resolve, answerMs).unref()
    })
    await Promise.race([answered, this.#over.promise])
  }

  async #leave(): Promise<void> {
    if (this.#isTerminal) this.#with.out.line()
    await this.#chat.end()
  }

  #listen(): void {
    const { agent, url, out, isJson } = this.#with
    this.#chat.on('message', (message) => {
      this.#answeredSeq = message.seq
      if (isJson) out.jsonLine({ type: 'message', ...message })
      else this.#show(`${out.style('bold', `${agent}:`)} ${plain(message.text)}`)
      if (this.#answeredSeq > this.#heardSeq) this.#onAnswer()
    })
    this.#chat.on('ended', this.#over.resolve)
    this.#chat.on('error', ({ message }) => this.#aside(`(${message})`))
    this.#chat.on('connected', () => {
      if (this.#isLost) this.#aside('(reconnected)')
      this.#isLost = false
    })
    this.#chat.on('disconnected', (reason) => {
      // Before the start it is more often a wrong address than a gateway that starts.
      if (!this.#hasStarted) return this.#over.reject(unreachable('gateway', url, new Error(reason)))
      if (!this.#isLost) this.#aside(`(no connection: ${reason}; reconnecting)`)
      this.#isLost = true
    })
  }

  /** Above the line that is being typed. */
  #show(text: string): void {
    this.#with.out.line(this.#isTerminal ? `\r\u001b[K${text}` : text)
    if (this.#isTerminal) this.#input.prompt(true)
  }

  #aside(text: string): void {
    if (this.#isTerminal) this.#show(text)
    else this.#with.out.note(text)
  }
}
