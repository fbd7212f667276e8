import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, Chat, connect, tool, Type } from '@switchroom/sdk'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import type { Fleet } from './fleet.ts'

export const writtenAgent = 'desk'
export const spokenAgent = 'hello'

/** The org's own program, on two connections: an agent that looks everything up, and one that greets phones. */
export class Apps {
  /** How often each question was looked up. */
  readonly lookedUp = new Map<string, number>()

  static async connect(t: Lasting, fleet: Fleet): Promise<Apps> {
    const apps = new Apps()
    const lookUp = tool({
      name: 'look_up',
      description: 'looks a question up',
      parameters: Type.Object({ question: Type.String() }),
      async run({ question }) {
        apps.lookedUp.set(question, (apps.lookedUp.get(question) ?? 0) + 1)
        await pause(Math.random() * 300)
        return question
      },
    })
    fleet.model.reply = async ({ messages }) => {
      const last = messages.at(-1)
      await pause(Math.random() * 200)
      return last?.role === 'tool'
        ? `answer to ${last.content}`
        : { calls: [{ name: 'look_up', arguments: { question: last?.content } }] }
    }
    for (const app of ['first', 'second']) {
      const connection = connect({ app, url: fleet.appProxy.url, key: fleet.key })
      afterwards(t, () => connection.close())
      connection.on('disconnected', () => {})
      await connection.hold(
        new Agent({ name: writtenAgent, prompt: 'Look everything up.', tools: [lookUp] }),
        new Agent({
          name: spokenAgent,
          prompt: 'You are the host.',
          settings: { greeting: { say: 'Hello.' } },
        }),
      )
    }
    return apps
  }
}

/** A contact who asks on and on, each question once the one before was answered. */
export class FleetChat {
  readonly call: string
  readonly #chat: Chat
  readonly #name: string
  readonly #answers: string[] = []
  #asked = 0
  #answered = Promise.withResolvers<void>()

  private constructor(chat: Chat, call: string, name: string) {
    this.#chat = chat
    this.#name = name
    this.call = call
    chat.on('message', ({ text }) => {
      this.#answers.push(text)
      this.#answered.resolve()
    })
  }

  static async open(t: Lasting, fleet: Fleet, name: string): Promise<FleetChat> {
    const chat = new Chat({ ...fleet.address, agent: writtenAgent })
    afterwards(t, () => chat.end())
    return new FleetChat(chat, await chat.started, name)
  }

  async converse(isOver: () => boolean) {
    while (!isOver()) {
      this.#answered = Promise.withResolvers()
      await this.#chat.send(`${this.#name}-${this.#asked}`)
      this.#asked += 1
      await this.#answered.promise
      await pause(Math.random() * 1500)
    }
    await this.#chat.end()
  }

  get questions(): string[] {
    return Array.from({ length: this.#asked }, (_, at) => `${this.#name}-${at}`)
  }

  /** Every question was stored once and answered once, in order, for the contact as for the log. */
  assertWhole(textsOf: (type: string) => string[]) {
    const answers = this.questions.map((question) => `answer to ${question}`)
    assert.deepEqual(this.#answers, answers, `what ${this.#name} was answered`)
    assert.deepEqual(textsOf('user.message'), this.questions, `what ${this.#name} asked`)
    assert.deepEqual(textsOf('agent.message'), answers, `what the log has as answers for ${this.#name}`)
  }
}
