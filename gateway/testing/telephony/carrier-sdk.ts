import assert from 'node:assert/strict'
import twilio from 'twilio'
import type { CarrierLogin } from '../../src/foundation/telephony-settings.ts'
import type { CarrierFake } from './carrier-fake.ts'

type Asked<Data> = Parameters<InstanceType<typeof twilio.RequestClient>['request']>[0] & { data?: Data }

/** The HTTP client of the carrier's SDK, with every host of the carrier at the fake; nothing else is changed. */
class LoopbackClient extends twilio.RequestClient {
  readonly #base: string
  /** The addresses that were meant, in order. */
  readonly origins: string[] = []

  constructor(base: string) {
    super({ keepAlive: false })
    this.#base = base
  }

  override request<Data>(asked: Asked<Data>) {
    const { origin, pathname, search } = new URL(asked.uri)
    this.origins.push(origin)
    return super.request<Data>({ ...asked, uri: this.#base + pathname + search })
  }
}

/** The carrier's official SDK as its users make it, for one account of the fake. */
export function sdkOf(fake: CarrierFake, { account_sid, user, secret }: CarrierLogin) {
  const httpClient = new LoopbackClient(fake.url)
  const sdk = twilio(user, secret, { accountSid: account_sid, httpClient })
  return { sdk, origins: httpClient.origins }
}

export const { RestException } = twilio

/** Compares what ours and the SDK send to the fake. */
export class CarrierReferee {
  readonly #fake: CarrierFake

  constructor(fake: CarrierFake) {
    this.#fake = fake
  }

  async sentBy<Answer>(work: () => Promise<Answer>) {
    this.#fake.requests.length = 0
    const answer = await work()
    const sent = this.#fake.requests.map(({ method, path, query, form, user, secret }) => ({
      method,
      path,
      query,
      form,
      user,
      secret,
    }))
    return { answer, sent }
  }

  /**
   * Both ask the same of the carrier: method, path, every parameter, credentials. `apart` are pairs of words, ours and
   * theirs, in which they differ because each changes a thing of its own.
   */
  async assertSame<Ours, Theirs>(
    ours: () => Promise<Ours>,
    theirs: () => Promise<Theirs>,
    apart: readonly (readonly [ours: string, theirs: string])[] = [],
  ) {
    const [own, official] = [await this.sentBy(ours), await this.sentBy(theirs)]
    let said = JSON.stringify(official.sent)
    for (const [word, their] of apart) said = said.replaceAll(their, word)
    assert.deepEqual(own.sent, JSON.parse(said))
    assert.notEqual(own.sent.length, 0)
    return { ours: own.answer, theirs: official.answer }
  }
}
