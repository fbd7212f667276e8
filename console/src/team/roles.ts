import type { Member } from '@switchroom/contract/members'
import type { Role } from '@switchroom/contract/scopes'
import type { Option } from '../ui/field.tsx'

/** The roles with what each is for. */
export const roleOptions: (Option & { value: Role })[] = [
  { value: 'admin', label: 'Admin: everything' },
  { value: 'developer', label: 'Developer: builds and configures agents' },
  { value: 'manager', label: 'Manager: team, numbers, provider keys' },
  { value: 'supervisor', label: 'Supervisor: listens in, takes over, edits texts' },
  { value: 'qa', label: 'QA: reads and evaluates calls' },
]

export const agentsIn = (text: string) => text.split(/[\s,]+/).filter(Boolean)

export const roleLabels: Record<Role, string> = {
  admin: 'Admin',
  developer: 'Developer',
  manager: 'Manager',
  supervisor: 'Supervisor',
  qa: 'QA',
}

export const memberStatusLabels: Record<Member['status'], string> = {
  invited: 'Invited',
  active: 'Active',
  disabled: 'Disabled',
}
