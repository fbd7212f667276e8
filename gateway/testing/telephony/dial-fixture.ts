import { randomBytes } from 'node:crypto'
import type { Dial } from '@switchroom/contract/dialling'
import type { Environment } from '@switchroom/contract/scopes'
import type { Caller } from '../../src/foundation/caller.ts'
import { dayMs } from '../../src/foundation/clock.ts'
import { Refusal } from '../../src/foundation/refusals.ts'
import type { DialAsked, TakenDial } from '../../src/telephony/dialling/dial-decisions.ts'
import { AppClient } from '../agents/app-client.ts'
import type { TestClock } from '../clock.ts'
import type { Deployment, TestOrg } from '../deployment.ts'
import { done } from '../agents/test-agents.ts'

let last = 0
/** A number of Spain, where neither consent nor hours are asked, that no other test of this process uses. */
export const newCalled = () => `+3460${String((last += 1)).padStart(7, '0')}`

/** Goes to the next moment at which it is half past this hour UTC. */
export function goTo(clock: TestClock, hourUtc: number) {
  const now = clock.now()
  const wanted = new Date(now)
  wanted.setUTCHours(hourUtc, 30, 0, 0)
  const aheadMs = wanted.getTime() - now.getTime()
  clock.forward(aheadMs > 0 ? aheadMs : aheadMs + dayMs)
}

/** An org whose agent `desk` is held and has a number to dial from, and what rooms beside dialling know of it. */
export class DialOrg {
  readonly deployment: Deployment
  readonly org: TestOrg
  readonly env: Environment
  readonly from: string
  readonly #key: string

  private constructor(parts: {
    deployment: Deployment
    org: TestOrg
    env: Environment
    from: string
    key: string
  }) {
    this.deployment = parts.deployment
    this.org = parts.org
    this.env = parts.env
    this.from = parts.from
    this.#key = parts.key
  }

  static async open(deployment: Deployment, env: Environment = 'production'): Promise<DialOrg> {
    const org = await deployment.newOrg()
    const { key } = await org.serverToken(env, { scopes: ['app', 'talk', 'calls', 'numbers'] })
    const dialOrg = new DialOrg({ deployment, org, env, from: newCalled(), key })
    await dialOrg.account('peer', { dialsAt: 'sip.peer.example' })
    await dialOrg.number(dialOrg.from, { account: 'peer' })
    await dialOrg.holdingApp(key)
    return dialOrg
  }

  get client() {
    return this.deployment.anonymous.as(this.#key)
  }

  async holdingApp(key: string, env?: Environment): Promise<AppClient> {
    const app = await AppClient.connect(this.deployment.url, key, env)
    const answer = await app.register('desk')
    if (answer.type !== 'agent.registered') throw new Error(JSON.stringify(answer))
    return app
  }

  async account(account: string, { kind = 'sip', dialsAt }: { kind?: string; dialsAt?: string } = {}) {
    await this.deployment.sql(
      `insert into carrier_accounts (org, account, kind, label, sealed, dials_at, created_at)
       values ($1, $2, $3, $2, '', $4, now())`,
      [this.org.id, account, kind, dialsAt],
    )
  }

  async number(
    number: string,
    {
      account = null,
      origin = 'imported',
      env = this.env,
    }: Partial<Record<'account' | 'origin' | 'env', string | null>> = {},
  ) {
    await this.deployment.sql(
      `insert into numbers (number, org, env, agent, origin, managed, account, created_at)
       values ($1, $2, $3, 'desk', $4, $4 = 'bought', $5, now())`,
      [number, this.org.id, env, origin, account],
    )
  }

  /** As if they had called or written before. */
  async known(contact: string, env = this.env) {
    await this.deployment.sql(
      `insert into known_contacts (org, env, contact, first_at) values ($1, $2, $3, now()) on conflict do nothing`,
      [this.org.id, env, contact],
    )
  }

  async knownNumber(): Promise<string> {
    const number = newCalled()
    await this.known(number)
    return number
  }

  async consented(number: string) {
    done(await this.client.post('/v1/org/consents', { number, kind: 'express', source: 'form' }))
  }

  /** Ledger rows that were written this long ago. */
  async rows(count: number, agoMs: number, row: Partial<Pick<Dial, 'outcome' | 'to' | 'env' | 'kind'>> = {}) {
    const { outcome = 'taken', to = '+34600000000', env = this.env, kind = 'dial' } = row
    const at = new Date(this.deployment.clock.now().getTime() - agoMs)
    await this.deployment.sql(
      `insert into dials (id, org, env, agent, kind, called, by, outcome, status, reason, at)
       select $8 || n, $1, $2, 'desk', $3, $4, 'ci', $5, 202, case when $5 = 'refused' then 'stranger' end, $6
       from generate_series(1, $7::int) as n`,
      [this.org.id, env, kind, to, outcome, at, count, `dial_${randomBytes(6).toString('hex')}_`],
    )
  }

  /** The answer as a caller of the rules gets it: the taken dial, or the refusal as `403 reason`. */
  async dial(
    to: string,
    more: Partial<DialAsked> = {},
    at: Deployment = this.deployment,
  ): Promise<TakenDial | Refusal> {
    const asked: DialAsked = { kind: 'dial', caller: this.caller(), agent: 'desk', to, ...more }
    return at.gateway.services.dialDecisions.take(asked).catch((error: unknown) => {
      if (error instanceof Refusal) return error
      throw error
    })
  }

  /** `taken`, or the status and the reason of the newest row. */
  async outcome(to: string, more: Partial<DialAsked> = {}): Promise<string> {
    const answer = await this.dial(to, more)
    const [row] = await this.ledger()
    if (!(answer instanceof Refusal)) return 'taken'
    if (row?.status !== answer.status)
      throw new Error(`answered ${answer.status}, and the row says ${row?.status}`)
    return `${answer.status} ${row.reason}`
  }

  /** Newest first. */
  async ledger(): Promise<Dial[]> {
    return done(await this.client.get('/v1/org/dials')).dials
  }

  caller(more: Partial<Caller> = {}): Caller {
    return {
      kind: 'server',
      org: this.org.id,
      slug: this.org.slug,
      key_id: 'key_1',
      label: 'ci',
      env: this.env,
      scopes: ['talk'],
      subject: '',
      name: '',
      email: null,
      operator: false,
      visiting: false,
      production: true,
      agents: [],
      from: '127.0.0.1',
      ...more,
    }
  }
}
