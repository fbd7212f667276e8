import { Agent } from '@switchroom/sdk/agent'
import { openChat, type Chat } from '@switchroom/sdk/chat'
import { tool } from '@switchroom/sdk/tool'
import { reasonOf } from '../../terminal/failures.ts'
import { contactNumber, contactsOf, eraseAfterwards } from '../deployment/contacts.ts'
import { holdAgent } from '../deployment/load-app.ts'
import { agentPrefix, type LoadOrg } from '../deployment/load-org.ts'
import type { Due, Place, Profile, Recorder } from './profile.ts'
import { within } from './waiting.ts'

const agentName = `${agentPrefix}chats`
const series = 'chats'
const opening = 'chats.open'
/** Then the contact leaves, and the next one opens a chat: conversations do not grow for ever. */
const messagesOfChat = 10
const opensWithinMs = 15_000
const answerWithinMs = 30_000

/** Who makes the answers: a tool of the generator's own app, or the demonstration model alone. */
export type Answerer = 'app' | 'model'

/** Written chats: a message, and the agent's answer to it. */
export async function chatsProfile(
  org: LoadOrg,
  recorder: Recorder,
  places: number,
  answerer: Answerer,
): Promise<Profile> {
  eraseAfterwards(org, contactsOf(places))
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks up an order.',
    parameters: {
      type: 'object',
      properties: { order: { type: 'integer' } },
      required: ['order'],
      additionalProperties: false,
    },
    run: ({ order }) => `order ${order} is on its way`,
  })
  await holdAgent(
    org,
    new Agent({
      name: agentName,
      prompt: 'You answer questions about orders.',
      tools: [lookUp],
      settings: { llm: 'local/demonstration', language: 'en' },
    }),
  )
  // The demonstration model calls the tool whose name it reads.
  const message = (nth: number) =>
    answerer === 'app' ? `Please look up order ${1_000 + nth}.` : `This is message ${nth}.`
  return {
    name: 'chats',
    series: [
      {
        name: series,
        title: 'from a message to its answer',
        usualTargets: ['p95=1.5s', 'failures=1%'],
      },
      { name: opening, title: 'from the connection to an open chat', usualTargets: [] },
    ],
    place: (at) => new Chatter(org, recorder, contactNumber(at), message),
  }
}

class Chatter implements Place {
  readonly #org: LoadOrg
  readonly #recorder: Recorder
  readonly #contact: string
  readonly #message: (nth: number) => string
  #chat: Chat | undefined
  #sent = 0
  #onAnswer: (seq: number) => void = () => {}
  #lost = ''

  constructor(org: LoadOrg, recorder: Recorder, contact: string, message: (nth: number) => string) {
    this.#org = org
    this.#recorder = recorder
    this.#contact = contact
    this.#message = message
  }

  async perform({ atMs }: Due, signal: AbortSignal): Promise<void> {
    if (this.#sent >= messagesOfChat) await this.leave()
    const chat = this.#chat ?? (await this.#open(atMs, signal))
    if (!chat) return
    const answered = new Promise<number>((resolve) => (this.#onAnswer = resolve))
    this.#sent += 1
    const taken = chat.send(this.#message(this.#sent)).then(
      () => answered,
      (error: unknown) => ({ refused: reasonOf(error) }),
    )
    const outcome = await within(taken, answerWithinMs, signal)
    if (signal.aborted) return
    if (typeof outcome === 'number') return this.#recorder.done(series, atMs)
    const [kind, sentence] =
      outcome === undefined
        ? ['no answer', `no answer came within ${answerWithinMs / 1_000} s${this.#lost}`]
        : ['refused', outcome.refused]
    this.#recorder.failed(series, atMs, kind, sentence)
    await this.leave()
  }

  async leave(): Promise<void> {
    const chat = this.#chat
    this.#chat = undefined
    this.#sent = 0
    this.#lost = ''
    await chat?.end().catch(() => {}) // the erasure ends it
  }

  async #open(dueMs: number, signal: AbortSignal): Promise<Chat | undefined> {
    const { client, env } = this.#org
    const { url, key = '' } = client
    const begunMs = this.#recorder.nowMs
    const chat = openChat({ url, key, env, agent: agentName, contact: this.#contact })
    this.#chat = chat
    chat.on('message', ({ seq }) => this.#onAnswer(seq))
    chat.on('disconnected', (reason) => (this.#lost = `; the connection was lost: ${reason}`))
    chat.on('error', () => {}) // told by the message that it is about
    const started = chat.started.then(
      () => true as const,
      (error: unknown) => ({ refused: reasonOf(error) }),
    )
    const outcome = await within(started, opensWithinMs, signal)
    if (signal.aborted) return undefined
    if (outcome === true) {
      this.#recorder.done(opening, begunMs)
      return chat
    }
    const [kind, sentence] =
      outcome === undefined
        ? ['not opened', `the chat did not open within ${opensWithinMs / 1_000} s${this.#lost}`]
        : ['refused', outcome.refused]
    this.#recorder.failed(opening, begunMs, kind, sentence)
    this.#recorder.failed(series, dueMs, kind, sentence)
    await this.leave()
    return undefined
  }
}
