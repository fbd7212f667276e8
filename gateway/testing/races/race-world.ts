import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { Client as Connection } from 'pg'
import { makeCertificates } from '../certificates.ts'
import type { Client } from '../client.ts'
import { migratedDatabase, type TestDatabase } from '../databases.ts'
import { fleetKey, startOn, type Deployment } from '../deployment.ts'
import { startDnsServer, type DnsServer } from '../dns-server.ts'
import { startMailServer, type MailServer } from '../mail/mail-server.ts'
import { MessagingFake } from '../messaging/messaging-fake.ts'
import { startIdentityProvider, type IdentityProvider } from '../people/identity-provider.ts'
import { ModelFake } from '../providers/model-fake.ts'
import { manifestOf, rateOf, VendorFolder } from '../providers/vendor-packages.ts'
import { changeRow } from '../providers/vendors.ts'
import { speechManifest } from '../providers/voice-server.ts'
import type { CarrierAccountFake } from '../telephony/carrier-fake-account.ts'
import { CarrierFake } from '../telephony/carrier-fake.ts'
import { RaceCrew } from './race-crew.ts'
import { Unanswered } from './race-findings.ts'

export const appSecret = 'app-secret-of-the-races-0123456789'
export const endpointKey = 'sk-endpoint-of-the-races-0123456789'

interface Servers {
  carrier: CarrierFake
  messaging: MessagingFake
  mail: MailServer
  dns: DnsServer
  provider: IdentityProvider
  model: ModelFake
  endpoint: EndpointFake
}

/** Two gateways on one database with everything around them that a request may reach. */
export class RaceWorld implements AsyncDisposable {
  readonly gateways: readonly [Deployment, Deployment]
  readonly servers: Servers
  /** The platform's own account at the carrier. */
  readonly own: CarrierAccountFake
  readonly crew: RaceCrew
  readonly unanswered = new Unanswered()
  readonly #disposals: (() => unknown)[]

  private constructor(
    gateways: readonly [Deployment, Deployment],
    servers: Servers,
    own: CarrierAccountFake,
    disposals: (() => unknown)[],
  ) {
    this.gateways = gateways
    this.servers = servers
    this.own = own
    this.#disposals = disposals
    this.crew = new RaceCrew(gateways, this.unanswered)
  }

  static async start(): Promise<RaceWorld> {
    const certificates = await makeCertificates()
    const dns = await startDnsServer()
    const provider = await startIdentityProvider(certificates, 'idp.example.test')
    dns.set('idp.example.test', { A: ['127.0.0.1'] })
    dns.set('llm.example.test', { A: ['127.0.0.1'] })
    const mail = await startMailServer()
    const carrier = await CarrierFake.start()
    const messaging = await MessagingFake.start()
    const model = await ModelFake.start()
    const endpoint = await EndpointFake.start({ key: endpointKey })
    const vendors = new VendorFolder().add(manifestOf('mind', ['llm'])).add(speechManifest('managed'))
    const rates = [rateOf('tts', 'managed', true), rateOf('stt', 'managed', true)]
    const recordings = mkdtempSync(join(tmpdir(), 'races-'))
    const own = carrier.account()
    const deployment = await startOn(await hastyDatabase(), {
      SVC_DOMAIN: 'voice.example',
      SVC_APPROVE_HOOKED: '1',
      SVC_NUMBERS_QUOTA: '100000',
      ...carrier.settings,
      SVC_CARRIER_ACCOUNT_SID: own.login.account_sid,
      SVC_CARRIER_USER: own.login.user,
      SVC_CARRIER_SECRET: own.login.secret,
      SVC_VERIFY_FROM: '+15005550006',
      SVC_VERIFY_TEXTS_PER_ORG: '100000',
      SVC_VERIFY_TEXTS_PER_DAY: '100000',
      ...messaging.settings,
      SVC_MSGAPP_APP_SECRET: appSecret,
      SVC_MSGAPP_VERIFY_TOKEN: 'verify-word-of-the-races',
      SVC_MSGAPP_ACCESS_TOKEN: messaging.platformToken,
      SVC_RESOLVER: dns.address,
      SVC_PRIVATE_HOSTS: 'idp.example.test, llm.example.test, 127.0.0.1',
      SVC_CA_FILE: certificates.caFile,
      SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      SVC_MAIL_FROM: 'post@switchroom.test',
      SVC_LETTERS_PER_ORG: '100000',
      SVC_SIGNUP: '1',
      SVC_TRUSTED_PROXIES: '127.0.0.0/8',
      SVC_VENDOR_FOLDERS: vendors.path,
      SVC_RATES: vendors.write('rates.json', rates),
      SVC_PROVIDER_KEY_MANAGED: 'sk-platform-managed-0123456789',
      SVC_PROVIDER_KEY_OPENAI: 'sk-platform-openai-0123456789',
      SVC_RECORDINGS: recordings,
    })
    await changeRow(deployment, (row) => {
      row.defaults.llm = 'openai/gpt-4.1-mini'
      row.options['llm/openai'] = { base_url: model.url }
    })
    const other = await deployment.another()
    const servers = { carrier, messaging, mail, dns, provider, model, endpoint }
    return new RaceWorld([deployment, other], servers, own, [
      () => deployment[Symbol.asyncDispose](),
      () => carrier.stop(),
      () => messaging.stop(),
      () => model.stop(),
      () => endpoint[Symbol.asyncDispose](),
      () => mail[Symbol.asyncDispose](),
      () => provider[Symbol.asyncDispose](),
      () => dns[Symbol.asyncDispose](),
      () => certificates[Symbol.asyncDispose](),
      () => vendors[Symbol.dispose](),
      () => rmSync(recordings, { recursive: true }),
    ])
  }

  get first(): Deployment {
    return this.gateways[0]
  }

  get sql(): Deployment['sql'] {
    return this.first.sql
  }

  /** How often PostgreSQL has undone one of two transactions that waited for each other. */
  async deadlocks(): Promise<number> {
    await this.sql('select pg_stat_clear_snapshot()')
    const { rows } = await this.sql(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
    return rows[0].deadlocks
  }

  /** What a gateway logged of failures, newest last. */
  failuresLogged(): string[] {
    return this.gateways.flatMap((gateway) =>
      gateway
        .log()
        .split('\n')
        .filter((line) => /"level":"(?:error|fatal)"|met another that changed/.test(line)),
    )
  }

  async [Symbol.asyncDispose]() {
    await this.crew.stop()
    for (const dispose of this.#disposals) await dispose()
  }
}

/** One that finds a deadlock at once, and not after the usual second. */
async function hastyDatabase(): Promise<TestDatabase> {
  const database = await migratedDatabase()
  const connection = new Connection({ connectionString: database.url })
  await connection.connect()
  await connection.query(
    `alter database ${new URL(database.url).pathname.slice(1)} set deadlock_timeout = '20ms'`,
  )
  await connection.end()
  return database
}

/** Who may send a request of an operation, at one of the gateways. */
export interface Site {
  url: string
  anonymous: Client
  operator: Client
  fleet: Client
  dashboard: Client
  /** The admin of the org. */
  admin: Client
  /** The same in production. */
  live: Client
  /** Anybody else's key. */
  as: (key: string) => Client
}

export const siteOf = ({ url, anonymous, operator, dashboard }: Deployment, adminKey: string): Site => ({
  url,
  anonymous,
  operator,
  fleet: anonymous.as(fleetKey),
  dashboard: dashboard.as(adminKey),
  admin: anonymous.as(adminKey),
  live: anonymous.as(adminKey).in('production'),
  as: (key) => anonymous.as(key),
})
