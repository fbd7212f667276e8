import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { AppClient } from '../agents/app-client.ts'
import { entriesOf, startChatDeployment, type ChatDeployment } from '../calls/chat-deployment.ts'
import type { Deployment } from '../deployment.ts'
import { deliver, messagesTo, newMessageId, statusOf, type FromContact } from './messaging-deliveries.ts'
import { MessagingFake, type MessagingNumberFake } from './messaging-fake.ts'
import type { SentMessage } from './messaging-fake-sends.ts'
import { newLine } from '../telephony/number-fixture.ts'
import { until } from '../until.ts'

export const appSecret = 'app-secret-of-the-tests-0123456789'
export const verifyToken = 'verify-word-of-the-tests'

/** The settings that open the messaging channel. */
export const messagingSettings = (fake: MessagingFake) => ({
  ...fake.settings,
  SVC_MSGAPP_APP_SECRET: appSecret,
  SVC_MSGAPP_VERIFY_TOKEN: verifyToken,
  SVC_MSGAPP_ACCESS_TOKEN: fake.platformToken,
  SVC_PRIVATE_HOSTS: '127.0.0.1',
})

/** A deployment with a messaging platform around it, whose models are fakes. */
export interface MessagingDeployment extends ChatDeployment {
  platform: MessagingFake
  /** A number of the org's own that leads to a new agent, which no app holds yet. */
  newMessagingAgent: () => Promise<MessagingAgent>
}

const dayMs = 24 * 60 * 60 * 1000
/** When each contact last wrote, on the platform's side. */
const lastWrote = new Map<string, Date>()

let lastContact = 0
/** A contact that no other test of this process knows. */
export const newContact = () => `+3491${String((lastContact += 1)).padStart(7, '0')}`

export async function startMessagingDeployment(
  settings: Record<string, string> = {},
): Promise<MessagingDeployment> {
  const platform = await MessagingFake.start()
  const chats = await startChatDeployment({ ...messagingSettings(platform), ...settings })
  const { client: admin } = await chats.org.person('admin')
  platform.now = () => chats.deployment.clock.now()
  platform.lastWrote = {
    has: (contact, now) => now.getTime() - (lastWrote.get(contact)?.getTime() ?? 0) < dayMs,
  }

  return {
    ...chats,
    platform,
    async newMessagingAgent() {
      const number = newLine()
      const fake = platform.addNumber(number)
      const { phone_number_id, access_token } = fake
      const agent = `agent-${randomBytes(4).toString('hex')}`
      const put = await admin.put('/v1/carrier', { phone_number_id, access_token })
      assert.equal(put.status, 200, put.text)
      const body = { number, agent, channel: 'msgapp', account: phone_number_id }
      const imported = await admin.in('sandbox').post('/v1/numbers', body)
      assert.equal(imported.status, 200, imported.text)
      return new MessagingAgent({ chats, platform, agent, number, line: fake })
    },
    async [Symbol.asyncDispose]() {
      await chats[Symbol.asyncDispose]()
      await platform.stop()
    },
  }
}

/** One number, the agent that answers there, and what contacts and apps do. */
export class MessagingAgent {
  readonly chats: ChatDeployment
  readonly platform: MessagingFake
  readonly agent: string
  readonly number: string
  /** The number as the platform knows it. */
  readonly line: MessagingNumberFake

  constructor(parts: {
    chats: ChatDeployment
    platform: MessagingFake
    agent: string
    number: string
    line: MessagingNumberFake
  }) {
    this.chats = parts.chats
    this.platform = parts.platform
    this.agent = parts.agent
    this.number = parts.number
    this.line = parts.line
  }

  get deployment(): Deployment {
    return this.chats.deployment
  }

  /** An app of the org's own that holds the agent. */
  async app(more: object = {}, at: { url: string } = this.deployment): Promise<AppClient> {
    const app = await AppClient.connect(at.url, this.chats.key)
    const registered = await app.register(this.agent, more)
    assert.equal(registered.type, 'agent.registered', JSON.stringify(registered))
    return app
  }

  /** The platform knows when a contact wrote, and takes no text a day later. */
  wrote(contact: string, at = this.deployment.clock.now()) {
    lastWrote.set(contact, at)
  }

  /** As the platform delivers it. */
  deliver(came: FromContact, at: { url: string } = this.deployment) {
    this.wrote(came.contact, came.sentAt)
    return deliver(at.url, appSecret, messagesTo(this.line, came))
  }

  /** A text that the gateway takes; answers the message's id. */
  async write(
    contact: string,
    text: string,
    more: Partial<FromContact> = {},
    at: { url: string } = this.deployment,
  ) {
    const id = more.id ?? newMessageId()
    const sentAt = more.sentAt ?? this.deployment.clock.now()
    const came = await this.deliver({ contact, text: { body: text }, ...more, id, sentAt }, at)
    assert.deepEqual(came, { status: 200, body: { received: 1 } })
    return id
  }

  /** What the platform says of a message that it took. */
  status(sent: SentMessage, status: string, more: object = {}) {
    return deliver(this.deployment.url, appSecret, statusOf(this.line, sent, status, more))
  }

  /** The texts that came to a contact, once there are so many. */
  async texts(contact: string, count: number): Promise<string[]> {
    await until(`${count} texts come to ${contact}`, () => this.platform.textsTo(contact).length >= count)
    return this.platform.textsTo(contact)
  }

  /** The messaging calls of a contact, oldest first. */
  async calls(contact: string): Promise<{ id: string; state: string; reason: string | null }[]> {
    const { rows } = await this.deployment.sql(
      `select id, state, reason from calls where contact = $1 and channel = 'msgapp' order by ordinal`,
      [contact],
    )
    return rows
  }

  /** The only call of a contact. */
  async call(contact: string): Promise<string> {
    const calls = await this.calls(contact)
    assert.equal(calls.length, 1)
    return String(calls[0]?.id)
  }

  entries(call: string, ...types: string[]) {
    return entriesOf(this.deployment, call, ...types)
  }

  /** What the agent's own log holds. */
  agentEntries(...types: string[]) {
    return entriesOf(this.deployment, `${this.chats.org.id}/sandbox/${this.agent}`, ...types)
  }
}
