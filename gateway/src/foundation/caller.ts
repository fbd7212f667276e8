import type { AuditActorKind } from '@switchroom/contract/audit'
import type { Identity } from '@switchroom/contract/identity'
import type { Environment, Scope } from '@switchroom/contract/scopes'
import { forbidden, listed } from './refusals.ts'

/** Who is calling, as the member row and the key row say at this request. */
export interface Caller extends Identity {
  /** `fleet`: one of the platform's own workers, for the org that its request names; `token`: a reader of one log. */
  kind: 'person' | 'server' | 'fleet' | 'token'
  scopes: Scope[]
  /** The agents a person works on; empty means every agent of the org. */
  agents: string[]
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

/** Who runs the platform: a person made operator, or the platform's own key, which names nobody. */
export interface Operator extends Actor {
  kind: 'operator'
}

export function refuseUnlessOpens(caller: Caller, anyOf: readonly Scope[]) {
  if (anyOf.some((scope) => caller.scopes.includes(scope))) return
  throw forbidden(`this key does not open ${anyOf.join(' or ')}: it opens ${listed(caller.scopes)}`)
}

/** The refusal of an agent that somebody with a list does not work on. */
export const outsideList = ({ agents }: Caller) => forbidden(`this key works on ${listed(agents)} alone`)
