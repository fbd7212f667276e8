import assert from 'node:assert/strict'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { roomOf } from '@switchroom/media/livekit/names'
import { LiveKitServer } from '@switchroom/media/livekit/server'
import { resampled } from '@switchroom/audio/resampler'
import { LiveKitPhones } from '@switchroom/media/testing/livekit-phones'
import { dispose, personRate, phoneCaller, RoomPerson } from '@switchroom/media/testing/livekit-person'
import { LiveKitProgram } from '@switchroom/media/testing/livekit-program'
import type { AgentOptions } from '@switchroom/sdk/sdk'
import { Carrier } from './spoken-carrier.ts'
import {
  startVoiceAgent,
  speech,
  typesOf,
  type Entry,
  type VoiceAgentFixture,
  type WorkerProcess,
} from './spoken-fixture.ts'

const { path } = LiveKitProgram
export const skip =
  path === undefined ? 'set SVC_TEST_LIVEKIT to the path of a LiveKit server: docs/voice.md says how' : false

export interface RoomOptions {
  settings: NonNullable<AgentOptions['settings']>
  gateway?: Record<string, string>
  worker?: Record<string, string>
}

/** A real LiveKit server, phones at it, and a deployment whose calls come from there. */
export async function startRooms(options: RoomOptions) {
  const program = await LiveKitProgram.start(path ?? '')
  const phones = await LiveKitPhones.start(program.address)
  const last: (() => unknown)[] = []
  const rooms = await RoomFixture.open({ after: (stop) => void last.unshift(stop) }, phones, options)
  const stop = async () => {
    for (const one of last) await one()
    await phones.stop()
    await program.stop()
    await dispose()
  }
  return { phones, rooms, stop }
}

/** The agent speaks after the caller has said something. */
export function isAnswered(log: readonly Entry[]): boolean {
  const types = typesOf(log)
  const asked = types.indexOf('user.message')
  return asked >= 0 && types.lastIndexOf('bot.speaking') > asked
}

/** What a person in a room says. */
export const roomSpeech = async (text: string) => resampled(await speech(text), 8_000, personRate)

/** A deployment whose calls come from a media server; its agent answers at the carrier's number. */
export class RoomFixture {
  readonly fixture: VoiceAgentFixture
  readonly carrier: Carrier
  readonly #phones: LiveKitPhones

  private constructor(fixture: VoiceAgentFixture, carrier: Carrier, phones: LiveKitPhones) {
    this.fixture = fixture
    this.carrier = carrier
    this.#phones = phones
  }

  static async open(
    t: Lasting,
    phones: LiveKitPhones,
    { settings: agentSettings, gateway = {}, worker = {} }: RoomOptions,
  ): Promise<RoomFixture> {
    const { url, key, secret } = phones.address
    const media = { SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret }
    const settings = {
      gateway: { ...media, SVC_SANDBOX_FLEET: 'tests', ...gateway },
      worker: { ...media, SVC_SANDBOX_FLEET: 'tests', SVC_SIP_LOCAL_ORG: '', ...worker },
    }
    const fixture = await startVoiceAgent(t, { settings: agentSettings }, settings)
    await registered(fixture.worker)
    return new RoomFixture(fixture, await Carrier.open(t, fixture), phones)
  }

  /** A person calls the agent's number. */
  ring(from: string, number = this.carrier.from): Promise<RoomPerson> {
    return phoneCaller(this.#phones.address, { number, from, fleet: 'tests' })
  }

  /** The call from this number, once it is there. */
  callFrom(from: string): Promise<string> {
    return until(
      `${from} has called`,
      async () => {
        const { rows } = await this.fixture.deployment.sql('select id from calls where caller = $1', [from])
        return rows[0]?.id as string | undefined
      },
      60_000,
    )
  }

  /** A person in a browser, with the token that a page's server asked for. */
  async browser(): Promise<{ call: string; person: RoomPerson }> {
    const { client } = await this.fixture.org.serverToken('sandbox', { scopes: ['talk'] })
    const made = await client.post('/v1/tokens', { agent: 'hello' })
    assert.equal(made.status, 200, made.text)
    const { call, server_url, participant_token } = made.body
    assert.match(server_url, /^ws:/)
    return { call, person: await RoomPerson.enter(server_url, participant_token) }
  }

  /** Another number of the org that its agent answers. */
  async anotherNumber(): Promise<string> {
    const number = '+34910000002'
    await this.fixture.deployment.sql(
      `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
       select $1, org, env, agent, origin, managed, account, approved_at, created_at from numbers where number = $2`,
      [number, this.carrier.from],
    )
    return number
  }

  /** The room of the call is empty and gone. */
  untilNoRoom(call: string): Promise<unknown> {
    const server = new LiveKitServer(this.#phones.address)
    return until('its room is gone', async () => !(await server.rooms()).includes(roomOf(call)))
  }

  /** How sending the caller on went. */
  async untilTransferred(call: string): Promise<Entry['data'] | undefined> {
    const isTold = ({ type }: Entry) => type === 'call.transferred'
    const entries = await this.fixture.untilLogged(call, 'the outcome is logged', (log) => log.some(isTold))
    return entries.find(isTold)?.data
  }

  async dial(to: string): Promise<string> {
    const { client } = await this.fixture.org.serverToken('sandbox', { scopes: ['talk'] })
    const dialled = await client.post('/v1/agents/hello/dial', { to })
    assert.equal(dialled.status, 202, dialled.text)
    return dialled.body.call
  }

  async another(): Promise<WorkerProcess> {
    const worker = await this.fixture.another()
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
