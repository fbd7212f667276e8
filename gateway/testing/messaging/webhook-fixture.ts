import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Environment } from '@switchroom/contract/scopes'
import type { Database, Transaction } from '../../src/database/database.ts'
import { gatewayAnswers } from '../../src/http/answers.ts'
import { makeServer } from '../../src/http/make-server.ts'
import type { Receipt, Received, Receiver, Shown } from '../../src/messaging/platform/received.ts'
import { makeWebhook } from '../../src/messaging/webhook/room.ts'
import type { UntranscribedMessages } from '../../src/messaging/webhook/untranscribed-messages.ts'
import { webhookRoutes } from '../../src/messaging/webhook/webhook.routes.ts'
import { Client, type Answer } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { newLine } from '../telephony/number-fixture.ts'
import { deliveryOf, signatureOf, type PlatformLine, type PlatformValue } from './platform-deliveries.ts'
import { done } from '../agents/test-agents.ts'
import { until } from '../until.ts'

export const appSecret = 'secret of the app'
export const verifyToken = 'the word of the deployment'
const path = '/v1/msgapp/webhook'

/** Takes messages and keeps what was claimed with them, as conversations do; a test says what else happens. */
export class TestReceiver implements Receiver {
  readonly received: Received[] = []
  readonly shown: Shown[] = []
  readonly receipts: Receipt[] = []
  /** While the message is being read. */
  before: (message: Received) => unknown = () => {}
  /** In the transaction that keeps it. */
  during: (message: Received) => unknown = () => {}
  onShown: () => unknown = () => {}
  becomes: 'queued' | 'waiting' | 'dropped' = 'queued'
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async receive(message: Received, alsoInTransaction: (tx: Transaction) => Promise<void>) {
    await this.before(message)
    await this.#database.transaction(async (tx) => {
      await alsoInTransaction(tx)
      await this.during(message)
    })
    this.received.push(message)
    return this.becomes
  }

  async show(message: Shown) {
    await this.onShown()
    this.shown.push(message)
  }

  async status(receipt: Receipt) {
    await this.onShown()
    this.receipts.push(receipt)
  }

  /** How often a message was taken. */
  times(messageId: string): number {
    return this.received.filter((message) => message.messageId === messageId).length
  }
}

export interface WebhookLine extends PlatformLine {
  org: TestOrg
  number: string
  agent: string
}

/** A gateway's webhook in front of a receiver of the test's own. */
export class WebhookFixture implements AsyncDisposable {
  readonly deployment: Deployment
  readonly receiver: TestReceiver
  readonly client: Client
  readonly url: string
  readonly untranscribedMessages: UntranscribedMessages
  readonly #close: () => Promise<unknown>

  private constructor(parts: {
    deployment: Deployment
    receiver: TestReceiver
    client: Client
    url: string
    untranscribedMessages: UntranscribedMessages
    close: () => Promise<unknown>
  }) {
    this.deployment = parts.deployment
    this.receiver = parts.receiver
    this.client = parts.client
    this.url = parts.url
    this.untranscribedMessages = parts.untranscribedMessages
    this.#close = parts.close
  }

  static async start(settings: Record<string, string> = {}): Promise<WebhookFixture> {
    return WebhookFixture.#of(
      await startDeployment({
        SVC_MSGAPP_APP_SECRET: appSecret,
        SVC_MSGAPP_VERIFY_TOKEN: verifyToken,
        ...settings,
      }),
    )
  }

  /** Another gateway on the same database. */
  async another(settings: Record<string, string> = {}): Promise<WebhookFixture> {
    return WebhookFixture.#of(await this.deployment.another(settings))
  }

  static async #of(deployment: Deployment): Promise<WebhookFixture> {
    const { services } = deployment.gateway
    const receiver = new TestReceiver(services.database)
    await services.untranscribedMessages.stop() // this fixture's own hand voice notes to the test's receiver
    const { webhook, untranscribedMessages } = makeWebhook(services, { ...services, receiver })
    const server = makeServer({ ...services, answers: gatewayAnswers })
    await webhookRoutes(server, webhook)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
    const client = new Client(url, server.routes)
    const close = async () => {
      await server.close()
      await untranscribedMessages.stop()
    }
    return new WebhookFixture({ deployment, receiver, client, url, untranscribedMessages, close })
  }

  /** A number at the platform that leads to an agent of an org, as the operator routes it. */
  async newLine(org?: TestOrg, env: Environment = 'production'): Promise<WebhookLine> {
    const whose = org ?? (await this.deployment.newOrg())
    const line = { ...this.unroutedLine(), org: whose, agent: 'desk' }
    await this.route(line, env)
    return line
  }

  unroutedLine() {
    const number = newLine()
    const phone_number_id = String(Number(`0x${randomBytes(6).toString('hex')}`))
    return { phone_number_id, number, display_phone_number: number.slice(1) }
  }

  async route(
    { org, number, agent }: Omit<WebhookLine, keyof PlatformLine>,
    env: Environment = 'production',
  ) {
    const body = { org: org.slug, number, agent, env, channel: 'msgapp' }
    done(await this.deployment.operator.post('/v1/ops/numbers', body))
  }

  handshake(query: string): Promise<Answer> {
    return this.client.get(`${path}?${query}`)
  }

  deliver(line: PlatformLine, value: PlatformValue): Promise<Answer> {
    return this.post(JSON.stringify(deliveryOf(line, value)))
  }

  /** A body as it is, signed unless the headers say otherwise. */
  post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
    const signed = { 'x-hub-signature-256': signatureOf(appSecret, body), ...headers }
    return this.client.raw(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
  }

  async claims(line: Pick<WebhookLine, 'org'>): Promise<{ message_id: string; is_read: boolean }[]> {
    const { rows } = await this.deployment.sql(
      `select message_id, read_at is not null as is_read from message_claims where org = $1 order by claimed_at`,
      [line.org.id],
    )
    return rows
  }

  async [Symbol.asyncDispose]() {
    await this.#close()
    await this.deployment[Symbol.asyncDispose]()
  }
}

/** For a delivery beside one that is stalled: in a gateway that reads both it would never be answered. */
export async function answered(delivery: Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined
  void delivery.then((came) => (answer = came))
  return until('the delivery is answered', () => answer)
}

let last = 0
/** The id of a message that no other test of this process sends. */
export const newMessageId = () => `wamid.${randomBytes(8).toString('hex')}${(last += 1)}`

/** A text of a contact, as the platform writes it. */
export const textOf = (body: string, more: object = {}) => ({
  from: '34911234567',
  id: newMessageId(),
  timestamp: String(Math.floor(Date.now() / 1000)),
  type: 'text',
  text: { body },
  ...more,
})
