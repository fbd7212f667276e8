import type { AuditActorKind } from '@switchroom/contract/audit'
import type { Identity } from '@switchroom/contract/identity'
import type { Environment, Scope } from '@switchroom/contract/scopes'
import { forbidden, listed } from './refusals.ts'

/** Who is calling, as the member row and the key row say at this request. */
export interface Caller extends Identity {
  /**
   * `fleet`: one of the platform's own workers, for the org that its request names; `token`: a reader of one log;
   * `participant`: the page that is in one call.
   */
  kind: 'person' | 'server' | 'fleet' | 'token' | 'participant'
  scopes: Scope[]
  /** The agents a person works on; empty means every agent of the org. */
  agents: string[]
  /** Of a server token: what its maker held when they made it and holds now. */
  maker?: { providers: boolean; production: boolean }
  /** The client address of the request. */
  from: string
}

/** Who acts and from where, as the audit log keeps it; a caller is one. */
export interface Actor {
  kind: Caller['kind'] | AuditActorKind
  org: string | null
  env?: Environment
  key_id: string | null
  subject: string | null
  name: string | null
  email: string | null
  visiting: boolean
  from: string | null
}

/** The key by which a worker runs calls: one for all workers of the platform, each token of an org for itself. */
export const runnerOf = ({ kind, key_id }: Pick<Caller, 'kind' | 'key_id'>) =>
  kind === 'fleet' ? 'fleet' : key_id

/** Who runs the platform: a person made operator, or the platform's own key, which is not a person's. */
export interface Operator extends Actor {
  kind: 'operator'
}

export function refuseUnlessOpens(caller: Caller, anyOf: readonly Scope[]) {
  if (anyOf.some((scope) => caller.scopes.includes(scope))) return
  throw forbidden(`this key does not open ${anyOf.join(' or ')}: it opens ${listed(caller.scopes)}`).as(
    'MISSING_SCOPE',
  )
}

/**
 * Secrets of vendors are opened to the fleet, and to a server token whose maker may change them; written by a
 * person who may, and by such a token. What is written without an environment is production's too.
 */
export function refuseVendorKeys(caller: Caller, doing: 'read' | 'write') {
  const { kind, maker, env } = caller
  if (kind === 'fleet') return
  if (kind === 'person' && doing === 'write') {
    if (caller.scopes.includes('providers')) return
    throw forbidden(
      `${caller.name} does not hold providers: ask an admin or a manager of the org to save the key`,
    )
  }
  const isProductions = env === 'production' || doing === 'write'
  if (maker?.providers && (maker.production || !isProductions)) return
  const held = isProductions ? 'providers and production access' : 'providers'
  throw forbidden(
    `this token opens no vendor key: who made it must hold ${held}, when they made it and now; ask an admin of the org, or the operator, for a new token`,
  )
}

/** The refusal of an agent that is not on the caller's list. */
export const outsideList = ({ agents }: Caller) =>
  forbidden(`this key works on ${listed(agents)} alone`).as('AGENT_NOT_ALLOWED')

/** The page that is in one call of an agent, as the caller of what its token lets it do. */
export const participantIn = (
  { org, slug, env, agent }: { org: string; slug: string; env: Environment; agent: string },
  id: string,
  from: string,
): Caller => ({
  kind: 'participant',
  org,
  slug,
  key_id: id,
  label: `of ${id}`,
  env,
  scopes: [],
  subject: '',
  name: '',
  email: null,
  operator: false,
  visiting: false,
  production: env === 'production',
  agents: [agent],
  from,
})
