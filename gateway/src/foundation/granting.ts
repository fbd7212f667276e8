import type { Member } from '@switchroom/contract/members'
import { scopesOfRole, type Role } from '@switchroom/contract/scopes'
import { outsideList, type Caller } from './caller.ts'
import { forbidden, listed } from './refusals.ts'

/** A key grants only what it holds, measured by scopes and never by rank. */
export function refuseGrantBeyond(caller: Caller, role: Role) {
  if (scopesOfRole[role].every((scope) => caller.scopes.includes(scope))) return
  const opens = listed(caller.scopes)
  throw forbidden(
    `this key does not open everything ${role} would: it opens ${opens}, so it cannot grant ${role}`,
  )
}

export function refuseProductionBeyond(caller: Caller) {
  if (caller.production) return
  throw forbidden(`${caller.name || 'this key'} has no production access: an admin gives it in Team`)
}

/** A caller with a list of agents grants at most that list. */
export function refuseAgentsBeyond(caller: Caller, agents: readonly string[]) {
  if (caller.agents.length === 0) return
  if (agents.length === 0 || agents.some((agent) => !caller.agents.includes(agent))) throw outsideList(caller)
}

/** The operator's flag weighs more than any role. */
export function refuseOperatorBeyond(caller: Caller, member: Member) {
  if (!member.operator || caller.operator) return
  throw forbidden(
    `${member.name} is an operator of the platform: only an operator changes, resets or removes them`,
  )
}

/** The reset link of a member lets its owner act as that member. */
export function refuseHoldingMore(caller: Caller, member: Member) {
  refuseOperatorBeyond(caller, member)
  refuseGrantBeyond(caller, member.role)
  if (member.production) refuseProductionBeyond(caller)
  refuseAgentsBeyond(caller, member.agents)
}

/** What signing in as a member would open; `operator` as soon as their person is one in any org. */
export type SignInReach = Pick<Member, 'email' | 'status' | 'role' | 'production' | 'agents' | 'operator'>

/** How members sign in is changed only by a key that holds what every one of them holds: it could become any of them. */
export function refuseUnlessHoldsAll(caller: Caller, members: readonly SignInReach[], why: string) {
  const bigger = members.find((member) => !holds(caller, member))
  if (!bigger) return
  const connectedApps = members.filter(
    (one) =>
      one.status === 'active' &&
      members.every((member) => holds({ ...one, scopes: [...scopesOfRole[one.role]] }, member)),
  )
  const asked = connectedApps.slice(0, 3).map(({ email }) => email)
  throw forbidden(
    `${why}, and ${bigger.email} holds more than you: ask ${asked.length > 0 ? listed(asked) : 'an operator of the platform'}`,
  )
}

function holds(held: Pick<Caller, 'scopes' | 'production' | 'agents' | 'operator'>, member: SignInReach) {
  const isWithin =
    held.agents.length === 0 ||
    (member.agents.length > 0 && member.agents.every((agent) => held.agents.includes(agent)))
  return (
    isWithin &&
    scopesOfRole[member.role].every((scope) => held.scopes.includes(scope)) &&
    (held.production || !member.production) &&
    (held.operator || !member.operator)
  )
}
