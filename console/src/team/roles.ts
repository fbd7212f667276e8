import type { Role } from '@switchroom/contract/scopes'
import type { Option } from '../ui/field.tsx'

/** What each role is for, in the words of whoever gives it. */
export const roleOptions: (Option & { value: Role })[] = [
  { value: 'admin', label: 'Admin: everything' },
  { value: 'developer', label: 'Developer: builds and sets agents' },
  { value: 'manager', label: 'Manager: team, numbers, provider keys' },
  { value: 'supervisor', label: 'Supervisor: listens in, takes over, sets words' },
  { value: 'qa', label: 'QA: reads calls and judges them' },
]

export const agentsIn = (text: string) => text.split(/[\s,]+/).filter(Boolean)
