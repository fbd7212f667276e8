import type { Entry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import { AppClient } from '../agents/app-client.ts'
import type { Client } from '../client.ts'
import { fleetKey, type Deployment, type TestOrg } from '../deployment.ts'
import { done } from '../agents/test-agents.ts'
import { until } from '../until.ts'

let last = 0
/** A number that no other test of this process uses. */
export const newNumber = () => `+1555${String((last += 1)).padStart(7, '0')}`

interface Routed {
  env?: Environment
  channel?: 'phone' | 'msgapp'
  origin?: string
  approved?: boolean
}

/** An agent that answers at a number, as a worker and its app see its calls. */
export class SpokenAgent {
  readonly deployment: Deployment
  readonly org: TestOrg
  readonly agent: string
  readonly number: string
  /** A worker of the platform, which names no org. */
  readonly fleet: Client

  constructor(deployment: Deployment, org: TestOrg, agent: string, number = newNumber()) {
    this.deployment = deployment
    this.org = org
    this.agent = agent
    this.number = number
    this.fleet = deployment.anonymous.as(fleetKey)
  }

  /** As the room that keeps numbers would. */
  async route({ env = 'sandbox', channel = 'phone', origin = 'imported', approved = true }: Routed = {}) {
    const { sql } = this.deployment
    await sql('insert into agents (org, slug, created_at) values ($1, $2, now()) on conflict do nothing', [
      this.org.id,
      this.agent,
    ])
    await sql(
      `insert into numbers (number, org, env, agent, channel, origin, approved_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, now())`,
      [this.number, this.org.id, env, this.agent, channel, origin, approved ? new Date() : null],
    )
    return this
  }

  /** An app of the org's own that holds the agent. */
  async holdingApp(env: Environment = 'sandbox', more: object = {}): Promise<AppClient> {
    const { key } = await this.org.serverToken(env)
    const app = await AppClient.connect(this.deployment.url, key)
    const answer = await app.register(this.agent, more)
    if (answer.type !== 'agent.registered') throw new Error(JSON.stringify(answer))
    return app
  }

  /** As it comes, for some are refused. */
  ask(more: object = {}) {
    return this.fleet.post('/v1/worker/calls', { number: this.number, from: '+15559990000', ...more })
  }

  async open(more: object = {}): Promise<string> {
    return done(await this.ask(more)).call
  }

  append(call: string, entries: object[], batch?: number) {
    return this.fleet.post(`/v1/calls/${call}/events`, { entries, ...(batch !== undefined && { batch }) })
  }
}

/** What the log of a call, or of an agent, holds. */
export async function entriesOf({ sql }: Pick<Deployment, 'sql'>, log: string): Promise<Entry[]> {
  const { rows } = await sql('select entry from entries where log = $1 order by seq', [log])
  return rows.map(({ entry }) => JSON.parse(entry))
}

export const typesOf = (entries: readonly Entry[]) => entries.map(({ type }) => type)

interface HeldRow {
  /** Settles when as many as were expected wait for the row. */
  areWaiting: () => Promise<unknown>
  query: (text: string, values: unknown[]) => Promise<unknown>
}

/** Runs the work while another transaction has locked a row, so that concurrent requests meet there. */
export async function whileHeld(
  { gateway, sql }: Deployment,
  hold: string,
  id: string,
  waiters: number,
  work: (held: HeldRow) => Promise<void>,
) {
  const client = await gateway.services.database.pool.connect()
  const waits = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const isAt = async () => (await sql(waits)).rows[0].waiting >= waiters
  try {
    await client.query('begin')
    await client.query(hold, hold.includes('$1') ? [id] : [])
    await work({
      areWaiting: () => until(`${waiters} wait for ${id}`, isAt),
      query: (text, values) => client.query(text, values),
    })
  } finally {
    await client.query('commit') // which undoes what failed
    client.release()
  }
}
