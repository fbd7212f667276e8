import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Database } from '@switchroom/gateway/database/database'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { operatorKey } from '@switchroom/gateway/testing/deployment'
import { deliver, messagesTo, statusOf } from '@switchroom/gateway/testing/messaging/messaging-deliveries'
import { appSecret, messagingSettings } from '@switchroom/gateway/testing/messaging/messaging-deployment'
import {
  MessagingFake,
  type MessagingNumberFake,
  type SentMessage,
} from '@switchroom/gateway/testing/messaging/messaging-fake'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import type { Chance } from './chance.ts'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'

export const agent = 'desk'
const number = '+14155550100'

/** A message of a contact. */
export interface Message {
  id: string
  contact: string
  text: string
}

/** One gateway, which comes back on its port each time it was killed. */
class Mortal {
  readonly url: string
  readonly #start: () => Promise<GatewayProcess>
  #process: GatewayProcess | undefined

  constructor(port: number, start: () => Promise<GatewayProcess>) {
    this.url = `http://127.0.0.1:${port}`
    this.#start = start
  }

  async start() {
    this.#process = await this.#start()
  }

  async kill() {
    this.#process?.child.kill('SIGKILL')
    await this.#process?.ended
  }
}

/** Two gateways on one database, the messaging platform, a model, and an org whose number leads to an agent. */
export class MessagingFleet {
  readonly gateways: readonly [Mortal, Mortal]
  readonly platform: MessagingFake
  readonly model: ModelFake
  readonly database: Database
  /** A key of the org that opens what apps and desks need. */
  key = ''
  readonly #line: MessagingNumberFake
  readonly #chance: Chance
  readonly #receipts: Promise<unknown>[] = []
  #isOver = false

  private constructor({
    gateways,
    platform,
    model,
    database,
    chance,
  }: Pick<MessagingFleet, 'gateways' | 'platform' | 'model' | 'database'> & { chance: Chance }) {
    this.gateways = gateways
    this.platform = platform
    this.model = model
    this.database = database
    this.#chance = chance
    this.#line = platform.addNumber(number)
    platform.fault = () => pause(chance.below(500)).then(() => undefined)
    platform.onSent = (sent) => {
      this.#receipts.push(this.#receipt(sent))
      return pause(chance.below(500)) // a gateway that is killed meanwhile does not know that the platform accepted it
    }
  }

  static async start(t: TestContext, chance: Chance): Promise<MessagingFleet> {
    const made = await migratedDatabase()
    afterwards(t, () => made.drop())
    const [platform, model] = [await MessagingFake.start(), await ModelFake.start()]
    afterwards(t, () => Promise.all([platform.stop(), model.stop()]))
    const mortal = async () => {
      const port = await freePort()
      const settings = { SVC_PORT: String(port), SVC_PROVIDER_KEY_OPENAI: 'key-of-the-model' }
      const born = new Mortal(port, () =>
        startedGateway(made.url, { ...messagingSettings(platform), ...settings }),
      )
      afterwards(t, () => born.kill())
      await born.start()
      return born
    }
    const gateways = [await mortal(), await mortal()] as const
    const database = new Database(made.url, () => {})
    afterwards(t, () => database.close())
    const fleet = new MessagingFleet({ gateways, platform, model, database, chance })
    afterwards(t, () => fleet.#stopReceipts())
    await fleet.#route()
    return fleet
  }

  /** A delivery as the platform makes it, to either gateway. Answers how many it read, or undefined: deliver it again. */
  async deliver(delivery: object): Promise<number | undefined> {
    try {
      const { status, body } = await deliver(this.#chance.oneOf(this.gateways).url, appSecret, delivery)
      return status === 200 ? (body as { received: number }).received : undefined
    } catch {
      return undefined // that gateway is down
    }
  }

  messages(...came: Message[]): object {
    return messagesTo(
      this.#line,
      ...came.map(({ id, contact, text }) => ({ id, contact, text: { body: text } })),
    )
  }

  async ask<Answer>(method: string, path: string, body?: object, key = operatorKey): Promise<Answer> {
    const response = await fetch(this.gateways[0].url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${await response.clone().text()}`)
    return response.json() as Promise<Answer>
  }

  async rows<Row>(sql: string): Promise<Row[]> {
    return (await this.database.pool.query(sql)).rows as Row[]
  }

  async #route() {
    const row = await this.ask<{ defaults: Record<string, string>; options: Record<string, object> }>(
      'GET',
      '/v1/ops/providers',
    )
    row.defaults['llm'] = 'openai/gpt-4.1-mini'
    row.options['llm/openai'] = { base_url: this.model.url }
    await this.ask('PUT', '/v1/ops/providers', row)
    await this.ask('POST', '/v1/ops/orgs', { slug: 'acme', name: 'Acme' })
    const account = { plan: 'enterprise', subscribed: true, credits: 1_000_000 }
    await this.ask('PUT', '/v1/ops/orgs/acme/account', account)
    const token = { label: 'app', env: 'sandbox', scopes: ['app', 'talk', 'calls', 'numbers'] }
    this.key = (await this.ask<{ key: string }>('POST', '/v1/ops/orgs/acme/keys', token)).key
    const { phone_number_id, access_token } = this.#line
    await this.ask('PUT', '/v1/carrier', { phone_number_id, access_token }, this.key)
    const routed = { number, agent, channel: 'msgapp', account: phone_number_id }
    await this.ask('POST', '/v1/numbers', routed, this.key)
  }

  /** The platform says of every text that it took it, as often as it takes to be heard. */
  async #receipt(sent: SentMessage) {
    await pause(this.#chance.below(2000))
    const receipt = statusOf(this.#line, sent, 'sent')
    while (!this.#isOver && (await this.deliver(receipt)) === undefined) await pause(100)
  }

  async #stopReceipts() {
    this.#isOver = true
    await Promise.all(this.#receipts)
  }
}
