import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import {
  deliver,
  messagesTo,
  newMessageId,
  statusOf,
} from '@switchroom/gateway/testing/messaging/messaging-deliveries'
import { appSecret } from '@switchroom/gateway/testing/messaging/messaging-deployment'
import type { MessagingNumberFake, SentMessage } from '@switchroom/gateway/testing/messaging/messaging-fake'
import { until } from '@switchroom/gateway/testing/until'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import type { Chance } from '../chance.ts'
import type { Fleet } from './fleet.ts'
import { writtenAgent } from './fleet-chats.ts'

const number = '+14155550100'

/** Contacts who write over the messaging platform, which delivers each message at least once, and once more now and then. */
export class FleetContacts {
  readonly #fleet: Fleet
  readonly #chance: Chance
  readonly #line: MessagingNumberFake
  readonly #wrote = new Map<string, string[]>()
  readonly #receipts: Promise<void>[] = []

  private constructor(fleet: Fleet, chance: Chance) {
    this.#fleet = fleet
    this.#chance = chance
    this.#line = fleet.platform.addNumber(number)
    fleet.platform.onSent = (sent) => {
      this.#receipts.push(this.#receipt(sent))
      return pause(chance.below(300)) // a gateway that is killed meanwhile does not know that the platform accepted it
    }
  }

  static async open(t: Lasting, fleet: Fleet, chance: Chance): Promise<FleetContacts> {
    const contacts = new FleetContacts(fleet, chance)
    const { phone_number_id, access_token } = contacts.#line
    await fleet.insist('PUT', '/v1/carrier', { phone_number_id, access_token })
    const routed = { number, agent: writtenAgent, channel: 'msgapp', account: phone_number_id }
    await fleet.insist('POST', '/v1/numbers', routed)
    afterwards(t, () => {
      fleet.isOver = true
      return Promise.all(contacts.#receipts)
    })
    return contacts
  }

  async write(contact: string, isOver: () => boolean) {
    const wrote: string[] = []
    this.#wrote.set(contact, wrote)
    while (!isOver()) {
      const text = `${contact} ${wrote.length}`
      wrote.push(text)
      const delivery = messagesTo(this.#line, { id: newMessageId(), contact, text: { body: text } })
      await this.#untilTaken(delivery)
      if (this.#chance.below(3) === 0) await this.#untilTaken(delivery)
      await pause(1000 + this.#chance.below(2000))
    }
  }

  get questions(): string[] {
    return [...this.#wrote.values()].flat()
  }

  /** Everybody got one answer to each of their messages, in order. */
  async assertAnswered() {
    const { platform } = this.#fleet
    await until('every message is answered', () => platform.sent.length >= this.questions.length, 90_000)
    const unsettled = 'select from sends where settled_at is null'
    await until('every send is settled', async () => (await this.#fleet.rows(unsettled)).length === 0, 60_000)
    for (const [contact, wrote] of this.#wrote)
      assert.deepEqual(
        platform.textsTo(contact),
        wrote.map((text) => `answer to ${text}`),
        `what ${contact} was sent`,
      )
  }

  async #untilTaken(delivery: object) {
    while (!this.#fleet.isOver) {
      const answer = await deliver(this.#fleet.proxy.url, appSecret, delivery).catch(() => undefined)
      if (answer?.status === 200) return
      await pause(200)
    }
  }

  /** The platform says of every text that it took it, as often as it takes to be heard. */
  async #receipt(sent: SentMessage) {
    await pause(this.#chance.below(1000))
    await this.#untilTaken(statusOf(this.#line, sent, 'sent'))
  }
}
