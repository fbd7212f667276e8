import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import type { QueryResult } from 'pg'
import type { Environment, Role, Scope } from '@switchroom/contract/scopes'
import { readSettings, type Settings } from '../src/foundation/settings.ts'
import { startGateway, type Gateway } from '../src/gateway.ts'
import { makeLogger } from '@switchroom/process/logging'
import { Client } from './client.ts'
import { TestClock } from './clock.ts'
import { migratedDatabase, type TestDatabase } from './databases.ts'
import { databaseSettings } from './pooler-settings.ts'

export const operatorKey = 'svc_op_of-the-tests-0123456789'
export const fleetKey = 'svc_fleet_of-the-tests-0123456789'
export const password = 'correct horse battery'

/** The quotas of a newborn org. */
export const noLimit = {
  minutes: null,
  messages: null,
  agents: null,
  concurrent_calls: null,
  numbers: null,
  seats: null,
}

/** What every test deployment is started with; a test names what it wants otherwise. */
export const testEnvironment = (databaseUrl: string, wanted: Record<string, string> = {}) => ({
  SVC_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
  SVC_OPERATOR_KEY: operatorKey,
  SVC_FLEET_KEY: fleetKey,
  ...databaseSettings(databaseUrl),
  SVC_PORT: '0',
  SVC_DASHBOARD_PORT: '0',
  SVC_BASE_URL: 'https://switchroom.test',
  SVC_METRICS_PORT: '0',
  SVC_SIGN_IN_TRIES_PER_PLACE: '100000', // every test comes from the same place
  SVC_APPROVE_HOOKED: '0',
  ...wanted,
})

export interface Deployment extends AsyncDisposable {
  gateway: Gateway
  database: TestDatabase
  settings: Settings
  clock: TestClock
  /** The address it listens on. */
  url: string
  anonymous: Client
  operator: Client
  /** A client without a key, at the dashboard's listener. */
  dashboard: Client
  /** The operator's Prometheus, at the listener of the metrics. */
  metrics: Client
  /** Everything logged so far. */
  log: () => string
  /** Looks behind the interface, for what a test cannot do or see through it. */
  sql: (text: string, values?: unknown[]) => Promise<QueryResult>
  /** A second gateway on the same database. */
  another: (wanted?: Record<string, string>) => Promise<Deployment>
  newOrg: () => Promise<TestOrg>
}

/** A whole gateway on a database of its own, spoken to over real sockets. */
export async function startDeployment(wanted: Record<string, string> = {}): Promise<Deployment> {
  return startOn(await migratedDatabase(), wanted)
}

/** The same on a database that the test has made. */
export async function startOn(
  database: TestDatabase,
  wanted: Record<string, string>,
  isOwner = true,
): Promise<Deployment> {
  const settings = readSettings(testEnvironment(database.url, wanted))
  const clock = new TestClock()
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) })
  const gateway = await startGateway(settings, clock, makeLogger('trace', sink))
  const url = `http://127.0.0.1:${gateway.port}`
  const anonymous = new Client(url, gateway.server.routes)
  const operator = anonymous.as(operatorKey)
  const dashboard = new Client(`http://127.0.0.1:${gateway.dashboardPort}`, gateway.dashboard.routes)
  const metrics = new Client(`http://127.0.0.1:${gateway.metricsPort}`, gateway.metrics.routes)
  const others: Deployment[] = []
  let disposed: Promise<void> | undefined

  const dispose = async () => {
    for (const other of others) await other[Symbol.asyncDispose]()
    await gateway.stop()
    if (isOwner) await database.drop()
  }

  const deployment: Deployment = {
    gateway,
    database,
    settings,
    clock,
    url,
    anonymous,
    operator,
    dashboard,
    metrics,
    log: () => lines.join(''),
    sql: (text, values) => gateway.services.database.pool.query(text, values),
    newOrg: () => makeOrg(deployment),
    another: async (others_ = {}) => {
      const other = await startOn(database, { ...wanted, ...others_ }, false)
      others.push(other)
      return other
    },
    [Symbol.asyncDispose]: () => (disposed ??= dispose()),
  }
  return deployment
}

export interface TestPerson {
  id: string
  email: string
  key: string
  client: Client
}

export interface TestOrg {
  id: string
  slug: string
  /** Admits a person from another org, as the letter of their invitation would. */
  join(email: string, role: Role): Promise<TestPerson>
  /** Invites a person who does not accept. */
  invite(email: string, role: Role): Promise<{ id: string; token: string | null }>
  /** From now on the org signs in only with its provider. */
  requireProvider(): Promise<void>
  /** A member of this role who has taken their seat and proven their address. */
  person(
    role: Role,
    options?: { production?: boolean; agents?: string[]; operator?: boolean },
  ): Promise<TestPerson>
  serverToken(
    env: Environment,
    options?: { scopes?: Scope[]; expires_at?: string },
  ): Promise<{ key: string; client: Client; key_id: string }>
}

const newName = (prefix: string) => `${prefix}-${randomBytes(4).toString('hex')}`

async function makeOrg({ operator, anonymous, sql, clock }: Deployment): Promise<TestOrg> {
  const slug = newName('org')
  const created = await operator.post('/v1/ops/orgs', { slug, name: `Org ${slug}` })
  assert.equal(created.status, 201, created.text)
  const { id } = created.body

  const invite = async (email: string, body: object) => {
    const invited = await operator.post(`/v1/ops/orgs/${slug}/members`, { email, ...body })
    assert.equal(invited.status, 201, invited.text)
    return { id: invited.body.member.id as string, token: invited.body.token as string | null }
  }
  /** Takes the seat with a link that proves the address, as the one in the platform's letter does. */
  const accept = async (member: string, email: string): Promise<TestPerson> => {
    const token = newName('mailed')
    await sql(
      `insert into invitations (digest, member, purpose, handed, proves_address, expires_at)
       values (sha256($1::text::bytea), $2, 'invitation', false, true, $3::timestamptz + interval '1 day')`,
      [token, member, clock.now()],
    )
    const wanted = { password, device: 'laptop', keep_keys: true }
    const accepted = await anonymous.post(`/v1/invitations/${token}`, wanted)
    assert.equal(accepted.status, 200, accepted.text)
    return { id: member, email, key: accepted.body.key, client: anonymous.as(accepted.body.key) }
  }

  return {
    id,
    slug,
    invite: (email, role) => invite(email, { role }),
    async person(role, options = {}) {
      const email = `${newName(role)}@example.com`
      const invited = await invite(email, { role, name: `A ${role}`, ...options })
      return accept(invited.id, email)
    },
    async join(email, role) {
      return accept((await invite(email, { role, name: `A ${role}` })).id, email)
    },
    async requireProvider() {
      await sql(
        `insert into identity_providers (org, issuer, client_id, client_secret, required)
         values ($1, 'https://idp.example', 'client', 'sealed', true)`,
        [id],
      )
    },
    async serverToken(env, options = {}) {
      const made = await operator.post(`/v1/ops/orgs/${slug}/keys`, { label: 'ci', env, ...options })
      assert.equal(made.status, 200, made.text)
      return { key: made.body.key, key_id: made.body.key_id, client: anonymous.as(made.body.key) }
    },
  }
}
