import { randomBytes } from 'node:crypto'
import type { Account } from '@switchroom/contract/accounts'
import type { DialLimits } from '@switchroom/contract/dialling'
import type { KeyList, ServerToken } from '@switchroom/contract/keys'
import type { CreatedOrg, OrgList, QuotasAndCaps } from '@switchroom/contract/orgs'
import type { Environment } from '@switchroom/contract/scopes'
import { GatewayClient, path } from '../../gateway/gateway-client.ts'
import { Failure } from '../../terminal/failures.ts'
import { LoadRefused } from '../load-refused.ts'
import { Leftovers } from './leftovers.ts'

/** The org of every load run: an org is kept for ever, so each run uses the same. */
export const loadOrgSlug = 'svc-load'
export const loadOrgName = 'Load test (made by svc load)'
/** The agents of a run begin with it. */
export const agentPrefix = 'load-'

const keyLabel = 'svc load'
/** A run that was killed leaves a key that ends by itself. */
const keyLivesOnMs = 15 * 60_000
const plenty = 1_000_000

export interface LoadOrgWanted {
  operator: GatewayClient
  env: Environment
  /** How long the run takes. */
  runMs: number
  /** Connections of one kind that it opens at most. */
  atOnce: number
}

/** The run's own org, with caps that do not stand in its way, and what of it is removed in the end. */
export class LoadOrg {
  readonly operator: GatewayClient
  readonly client: GatewayClient
  readonly id: string
  readonly env: Environment
  readonly leftovers = new Leftovers()

  private constructor(operator: GatewayClient, client: GatewayClient, id: string, env: Environment) {
    this.operator = operator
    this.client = client
    this.id = id
    this.env = env
  }

  /** Refuses if another run uses it. What it did is taken back by `leftovers`, also if it fails midway. */
  static async open({ operator, env, runMs, atOnce }: LoadOrgWanted): Promise<LoadOrg> {
    const id = await findOrCreate(operator)
    const at = path`/v1/ops/orgs/${id}`
    const label = `${keyLabel} ${randomBytes(4).toString('hex')}`
    const token = await operator.post<ServerToken>(`${at}/keys`, {
      label,
      env,
      scopes: ['app', 'calls', 'talk', 'numbers', 'keys', 'team'],
      expires_at: new Date(Date.now() + runMs + keyLivesOnMs).toISOString(),
    })
    const client = new GatewayClient({ url: operator.url, key: token.key, env })
    const org = new LoadOrg(operator, client, id, env)
    const revoke = () => client.post(path`/v1/keys/${token.fingerprint}/revoke`)
    org.leftovers.add("the run's key", revoke)
    try {
      await refuseSecondRun(client, token.fingerprint)
      await org.#raiseLimits(at, atOnce)
      return org
    } catch (error) {
      await org.leftovers.remove()
      throw error
    }
  }

  async #raiseLimits(at: string, atOnce: number): Promise<void> {
    const { operator, leftovers } = this
    const { quotas, caps } = await operator.get<QuotasAndCaps>(`${at}/quotas`)
    leftovers.add('the quotas of the org', () => operator.put(`${at}/quotas`, { ...quotas, ...caps }))
    const open = Object.fromEntries(Object.keys(quotas).map((name) => [name, null]))
    const most = Math.max(1_000, 4 * atOnce)
    await operator.put(`${at}/quotas`, { ...open, chats: most, event_streams: most, app_sockets: 100 })
    const limits = await operator.get<DialLimits>(`${at}/dialling`)
    leftovers.add('the calling limits of the org', () => operator.put(`${at}/dialling`, limits))
    const wide = { dial_anywhere: true, per_minute: plenty, per_day: plenty, max_duration_s: 3_600 }
    await operator.put(`${at}/dialling`, wide)
    const account = await operator.get<Account>(`${at}/account`)
    leftovers.add("the org's account", () =>
      operator.put(`${at}/account`, { ...account, credits: Math.max(0, account.credits) }),
    )
    await operator.put(`${at}/account`, { ...account, subscribed: true, credits: plenty })
  }
}

async function findOrCreate(operator: GatewayClient): Promise<string> {
  const { orgs } = await operator.get<OrgList>('/v1/ops/orgs')
  const found = orgs.find(({ slug }) => slug === loadOrgSlug)
  if (found && found.name !== loadOrgName)
    throw new LoadRefused(
      `the org ${loadOrgSlug} of this deployment is not one of svc load, which uses that name for its own: rename it, or load another deployment`,
    )
  if (found) return found.id
  const wanted = { slug: loadOrgSlug, name: loadOrgName }
  return (await operator.post<CreatedOrg>('/v1/ops/orgs', wanted)).id
}

async function refuseSecondRun(client: GatewayClient, own: string): Promise<void> {
  const { keys } = await client.get<KeyList>('/v1/keys')
  const other = keys.find(
    ({ label, fingerprint, revoked_at, expires_at }) =>
      label.startsWith(keyLabel) &&
      fingerprint !== own &&
      revoked_at === null &&
      (expires_at === null || Date.parse(expires_at) > Date.now()),
  )
  if (other)
    throw new LoadRefused(
      `another svc load runs against this deployment since ${other.created_at}: wait until it ends (one that was killed counts until its key ends at ${other.expires_at}, or until you revoke the key)`,
    )
}

/** Refuses everybody but the operator of the deployment. */
export async function refuseWithoutOperatorKey(operator: GatewayClient): Promise<string> {
  try {
    return (await operator.get<{ version: string }>('/v1/ops/whoami')).version
  } catch (error) {
    if (error instanceof Failure && (error.status === 401 || error.status === 403))
      throw new LoadRefused(
        `svc load runs only with the operator key of the deployment at ${operator.url}, and this key is not it: sign in with svc login --operator, or set SVC_KEY to the operator key`,
      )
    throw error
  }
}
