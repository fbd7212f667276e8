import type { Environment } from '@switchroom/contract/scopes'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { AppClient } from '../agents/app-client.ts'
import type { Client } from '../client.ts'
import { fleetKey, startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { newNumber } from '../calls/spoken-calls.ts'
import { done } from '../agents/test-agents.ts'
import { until } from '../until.ts'

let last = 0
/** A number of Spain, where neither consent nor hours are asked, that no other test of this process uses. */
export const newCalled = () => `+3461${String((last += 1)).padStart(7, '0')}`

/** The settings that lead a gateway to a media server. */
export const mediaSettings = ({ address }: LiveKitFake) => ({
  SVC_MEDIA_URL: address.url,
  SVC_MEDIA_KEY: address.key,
  SVC_MEDIA_SECRET: address.secret,
})

/** A deployment whose calls go out through a media server. */
export async function startPlacing(): Promise<{ media: LiveKitFake; deployment: Deployment }> {
  const media = await LiveKitFake.start()
  return { media, deployment: await startDeployment(mediaSettings(media)) }
}

/** Calls that ring at the media server until a test says what becomes of them. */
export function ringingCalls({ media, deployment }: { media: LiveKitFake; deployment: Deployment }) {
  const room = (call: string) => `call-${call}`
  const heldDial = (call: string) =>
    until('it rings', () => media.dials.held.find(({ body }) => body['roomName'] === room(call)))
  return {
    heldDial,
    isHungUp: (call: string) =>
      until('it is hung up', () => media.asked('DeleteRoom').some(({ body }) => body['room'] === room(call))),
    settledAt: async (call: string) =>
      (await deployment.sql('select settled_at from placements where call = $1', [call])).rows[0]?.settled_at,
    ringing: async (placingOrg: PlacingOrg): Promise<string> => {
      const call = await placingOrg.dial(await placingOrg.known())
      await heldDial(call)
      return call
    },
  }
}

/** An org whose agent `desk` is held and dials from a number in a SIP account. */
export class PlacingOrg {
  readonly deployment: Deployment
  readonly org: TestOrg
  readonly env: Environment
  readonly from: string
  readonly key: string
  readonly app: AppClient

  private constructor(parts: {
    deployment: Deployment
    org: TestOrg
    env: Environment
    from: string
    key: string
    app: AppClient
  }) {
    this.deployment = parts.deployment
    this.org = parts.org
    this.env = parts.env
    this.from = parts.from
    this.key = parts.key
    this.app = parts.app
  }

  static async open(deployment: Deployment, env: Environment = 'production'): Promise<PlacingOrg> {
    const org = await deployment.newOrg()
    const { key } = await org.serverToken(env, { scopes: ['app', 'talk', 'calls', 'numbers'] })
    const app = await AppClient.connect(deployment.url, key)
    const answer = await app.register('desk')
    if (answer.type !== 'agent.registered') throw new Error(JSON.stringify(answer))
    const placingOrg = new PlacingOrg({ deployment, org, env, from: newNumber(), key, app })
    await placingOrg.account('peer', 'sip.peer.example')
    await placingOrg.number(placingOrg.from, 'peer')
    return placingOrg
  }

  get client(): Client {
    return this.deployment.anonymous.as(this.key)
  }

  /** A worker of the platform. */
  get fleet(): Client {
    return this.deployment.anonymous.as(fleetKey)
  }

  async account(username: string, host: string, password = `secret of ${username}`) {
    const body = { kind: 'sip', username, password, addresses: ['8.8.8.0/24'], outbound_host: host }
    done(await this.client.put('/v1/carrier', body))
  }

  /** As an import would. */
  async number(number: string, account: string | null, origin = 'imported') {
    await this.deployment.sql(
      `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
       values ($1, $2, $3, 'desk', $4, $4 = 'bought', $5, now(), now())`,
      [number, this.org.id, this.env, origin, account],
    )
  }

  /** A contact that called before. */
  async known(number = newCalled()): Promise<string> {
    await this.deployment.sql(
      `insert into known_contacts (org, env, contact, first_at) values ($1, $2, $3, now()) on conflict do nothing`,
      [this.org.id, this.env, number],
    )
    return number
  }

  ask(to: string, more: object = {}, client = this.client) {
    return client.post('/v1/agents/desk/dial', { to, ...more })
  }

  /** The call of a dial that is taken. */
  async dial(to: string, more: object = {}): Promise<string> {
    return done(await this.ask(to, more)).call
  }

  async entries(call: string) {
    return done(await this.client.get(`/v1/calls/${call}/events`)).entries as {
      type: string
      data: Record<string, unknown>
    }[]
  }

  /** The types of its log, once the last of them is there. */
  async typesUpTo(call: string, type: string): Promise<string[]> {
    return until(`${call} has ${type}`, async () => {
      const types = (await this.entries(call)).map((entry) => entry.type)
      return types.includes(type) && types
    })
  }

  /** Why it ended, once it has. */
  async reason(call: string): Promise<unknown> {
    await this.typesUpTo(call, 'call.ended')
    return (await this.entries(call)).at(-1)?.data['reason']
  }

  async ledger(): Promise<
    { to: string; kind: string; outcome: string; reason: string | null; call: string }[]
  > {
    return done(await this.client.get('/v1/org/dials')).dials
  }
}
