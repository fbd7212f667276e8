import type { ChangeMember, Member } from '@switchroom/contract/members'
import type { Role } from '@switchroom/contract/scopes'
import { badRequest, conflict } from '../../foundation/refusals.ts'

type Change = ChangeMember & { role: Role; agents: string[] }

/** The row after a change; refuses what no caller may change. */
export function changedMember(member: Member, wanted: Change, changedBy: string): Member {
  const status = changedStatus(member, wanted.status)
  const isMadeAdmin = wanted.role === 'admin' && member.role !== 'admin'
  const production = wanted.production ?? (isMadeAdmin || member.production)
  const changed = { ...member, role: wanted.role, agents: wanted.agents, status, production }

  if (member.id === changedBy)
    for (const field of ['role', 'production', 'status'] as const)
      if (changed[field] !== member[field]) throw conflict(`nobody changes their own ${field}`)
  if (changed.role === 'admin' && !production)
    throw conflict(`${member.name} is an admin: an admin always opens production`)
  return changed
}

/** Only the person accepts an invitation, and only an accepted one can be disabled. */
function changedStatus({ name, status }: Member, wanted: string | undefined): Member['status'] {
  if (wanted === undefined || wanted === status) return status
  if (wanted === 'invited') throw badRequest('status cannot be set to invited: invite the person again')
  if (wanted !== 'active' && wanted !== 'disabled') throw badRequest('status is active or disabled')
  if (status !== 'invited') return wanted
  throw badRequest(
    wanted === 'active'
      ? `${name} has not taken the seat: only they can`
      : `${name} is still invited: remove them instead`,
  )
}
