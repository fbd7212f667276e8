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

/** Somebody who works on some agents only gives nobody more than a part of their own list. */
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

/** Whoever holds the reset link of a member could act as them. */
export function refuseHoldingMore(caller: Caller, member: Member) {
  refuseOperatorBeyond(caller, member)
  refuseGrantBeyond(caller, member.role)
  if (member.production) refuseProductionBeyond(caller)
  refuseAgentsBeyond(caller, member.agents)
}
