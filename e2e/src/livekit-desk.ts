import assert from 'node:assert/strict'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import type { LiveKitPhones } from '@switchroom/media/testing/livekit-phones'
import { phoneCaller, RoomPerson } from '@switchroom/media/testing/livekit-person'
import { Carrier } from './spoken-carrier.ts'
import { openDesk, type SpokenDesk, type WorkerProcess } from './spoken-desk.ts'

/** A deployment whose calls come from a media server; its agent answers at the carrier's number. */
export class RoomDesk {
  readonly desk: SpokenDesk
  readonly carrier: Carrier
  readonly #phones: LiveKitPhones

  private constructor(desk: SpokenDesk, carrier: Carrier, phones: LiveKitPhones) {
    this.desk = desk
    this.carrier = carrier
    this.#phones = phones
  }

  static async open(
    t: Lasting,
    phones: LiveKitPhones,
    greeting: string,
    worker: Record<string, string> = {},
  ): Promise<RoomDesk> {
    const { url, key, secret } = phones.address
    const media = { SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret }
    const settings = {
      gateway: { ...media, SVC_SANDBOX_FLEET: 'tests' },
      worker: { ...media, SVC_SANDBOX_FLEET: 'tests', SVC_SIP_LOCAL_ORG: '', ...worker },
    }
    const desk = await openDesk(t, { settings: { greeting: { say: greeting } } }, settings)
    await registered(desk.worker)
    return new RoomDesk(desk, await Carrier.open(t, desk), phones)
  }

  /** Somebody calls the agent's number. */
  ring(from: string, number = this.carrier.from): Promise<RoomPerson> {
    return phoneCaller(this.#phones.address, { number, from, fleet: 'tests' })
  }

  /** The call that somebody made, once it is there. */
  callFrom(from: string): Promise<string> {
    return until(
      `${from} has called`,
      async () => {
        const { rows } = await this.desk.deployment.sql('select id from calls where caller = $1', [from])
        return rows[0]?.id as string | undefined
      },
      60_000,
    )
  }

  /** Somebody in a browser, with the token that a page's server asked for. */
  async browser(): Promise<{ call: string; person: RoomPerson }> {
    const { client } = await this.desk.org.serverToken('sandbox', { scopes: ['talk'] })
    const made = await client.post('/v1/tokens', { agent: 'hello' })
    assert.equal(made.status, 200, made.text)
    const { call, server_url, participant_token } = made.body
    assert.match(server_url, /^ws:/)
    return { call, person: await RoomPerson.enter(server_url, participant_token) }
  }

  async dial(to: string): Promise<string> {
    const { client } = await this.desk.org.serverToken('sandbox', { scopes: ['talk'] })
    const dialled = await client.post('/v1/agents/hello/dial', { to })
    assert.equal(dialled.status, 202, dialled.text)
    return dialled.body.call
  }

  async another(): Promise<WorkerProcess> {
    const worker = await this.desk.another()
    await registered(worker)
    return worker
  }
}

/** For both environments. */
const registered = (worker: WorkerProcess) =>
  until(
    'the worker is registered',
    () => worker.said.split('registered at the media server').length > 2,
    60_000,
  )
