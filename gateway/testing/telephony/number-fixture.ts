import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import type { Environment } from '@switchroom/contract/scopes'
import { reconciliationLock } from '../../src/telephony/admission/number-locks.ts'
import { AppClient } from '../agents/app-client.ts'
import type { CarrierAccountFake } from './carrier-fake-account.ts'
import { CarrierFake } from './carrier-fake.ts'
import type { Client } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { MessagingFake } from '../messaging/messaging-fake.ts'
import { done } from '../agents/test-agents.ts'

let last = 0
/** A number that no other test of this process uses. */
export const newLine = () => `+1415555${String((last += 1)).padStart(4, '0')}`

/** A gateway that starts admits every number first, unless a test has this lock. */
export async function lockReconciliation({ gateway }: Deployment): Promise<AsyncDisposable> {
  const client = await gateway.services.database.pool.connect()
  await client.query(`begin; select pg_advisory_xact_lock(hashtextextended('${reconciliationLock}', 0))`)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

const mediaSettings = (prefix: string, { address }: LiveKitFake) => ({
  [`${prefix}_URL`]: address.url,
  [`${prefix}_KEY`]: address.key,
  [`${prefix}_SECRET`]: address.secret,
})

interface Wanted {
  /** The sandbox has a media server of its own. */
  separate?: boolean
  /** The platform has an account to buy on. */
  sells?: boolean
  settings?: Record<string, string>
}

/** A deployment with what numbers need around it: a carrier, media servers, the messaging platform. */
export class NumberFixture implements AsyncDisposable {
  readonly deployment: Deployment
  readonly carrier: CarrierFake
  readonly messaging: MessagingFake
  readonly media: Record<Environment, LiveKitFake>
  /** The platform's own account. */
  readonly own: CarrierAccountFake

  private constructor(parts: {
    deployment: Deployment
    carrier: CarrierFake
    messaging: MessagingFake
    media: Record<Environment, LiveKitFake>
    own: CarrierAccountFake
  }) {
    this.deployment = parts.deployment
    this.carrier = parts.carrier
    this.messaging = parts.messaging
    this.media = parts.media
    this.own = parts.own
  }

  static async start({ separate = false, sells = true, settings = {} }: Wanted = {}): Promise<NumberFixture> {
    const carrier = await CarrierFake.start()
    const messaging = await MessagingFake.start()
    const production = await LiveKitFake.start()
    const sandbox = separate ? await LiveKitFake.start() : production
    const own = carrier.account()
    const { account_sid, user, secret } = own.login
    const deployment = await startDeployment({
      SVC_DOMAIN: 'voice.example',
      ...carrier.settings,
      ...messaging.settings,
      ...mediaSettings('SVC_MEDIA', production),
      ...(separate && mediaSettings('SVC_SANDBOX_MEDIA', sandbox)),
      ...(sells && {
        SVC_CARRIER_ACCOUNT_SID: account_sid,
        SVC_CARRIER_USER: user,
        SVC_CARRIER_SECRET: secret,
      }),
      ...settings,
    })
    return new NumberFixture({ deployment, carrier, messaging, media: { production, sandbox }, own })
  }

  async newOrg(): Promise<NumberOrg> {
    const org = await this.deployment.newOrg()
    return new NumberOrg(this, org, (await org.person('admin')).client)
  }

  /** What was asked of the carrier and the media servers so far, to compare. */
  get asked() {
    const { production, sandbox } = this.media
    return [this.carrier.requests.length, production.requests.length, sandbox.requests.length]
  }

  async [Symbol.asyncDispose]() {
    await this.deployment[Symbol.asyncDispose]()
    await this.carrier.stop()
    await this.messaging.stop()
    await this.media.production.stop()
    if (this.media.sandbox !== this.media.production) await this.media.sandbox.stop()
  }
}

/** An org that routes numbers, as its admin. */
export class NumberOrg {
  readonly fixture: NumberFixture
  readonly org: TestOrg
  readonly admin: Client

  constructor(fixture: NumberFixture, org: TestOrg, admin: Client) {
    this.fixture = fixture
    this.org = org
    this.admin = admin
  }

  get id() {
    return this.org.id
  }

  /** An account at the carrier that owns these. */
  async account(...numbers: string[]): Promise<CarrierAccountFake> {
    const account = this.fixture.carrier.account(...numbers)
    done(await this.admin.put('/v1/carrier', account.login))
    return account
  }

  async peer(username: string, ...addresses: string[]) {
    done(await this.admin.put('/v1/carrier', { username, password: `word of ${username}`, addresses }))
  }

  /** As the operator, for all that wait. */
  async approveNetworks() {
    const { operator } = this.fixture.deployment
    for (const { id } of done(await operator.get('/v1/ops/networks')).networks)
      done(await operator.post(`/v1/ops/networks/${id}/approve`))
  }

  /** As it comes, for some are refused. */
  import(body: object, env: Environment = 'sandbox', query = '') {
    return this.admin.in(env).post(`/v1/numbers${query}`, { agent: 'desk', ...body })
  }

  async imported(body: object, env: Environment = 'sandbox', query = '') {
    return done(await this.import(body, env, query))
  }

  async list(env: Environment = 'sandbox') {
    return done(await this.admin.in(env).get('/v1/numbers')).numbers
  }

  async path(number: string, env: Environment = 'sandbox') {
    return done(await this.admin.in(env).get(`/v1/numbers/${number}/path`))
  }

  /** An app of the org's own that holds the agent. */
  async holdingApp(env: Environment = 'sandbox', agent = 'desk'): Promise<AppClient> {
    const { key } = await this.org.serverToken(env)
    const app = await AppClient.connect(this.fixture.deployment.url, key)
    const answer = await app.register(agent)
    if (answer.type !== 'agent.registered') throw new Error(JSON.stringify(answer))
    return app
  }

  /** The numbers of a trunk there, or undefined if it does not exist. */
  trunk(env: Environment, name: string) {
    return this.fixture.media[env].store.trunk(`${this.id}/${env}/${name}`)
  }

  rule(env: Environment) {
    return this.fixture.media[env].store.rule(`${this.id}/${env}`)
  }
}
