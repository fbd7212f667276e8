import type { AgentList } from '@switchroom/contract/apps'
import { useGet } from '../api/queries.ts'
import { Select } from '../ui/field.tsx'
import { useOwnAgents } from '../who/identity.ts'

export function AgentFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data } = useGet<AgentList>('/v1/agents')
  const own = useOwnAgents()
  const known = own ?? data?.agents.map(({ agent }) => agent) ?? []
  const named = value === '' || known.includes(value) ? known : [value, ...known]
  return (
    <Select
      label="Agent"
      value={value}
      onChange={onChange}
      options={own ? [...named] : [{ value: '', label: 'All agents' }, ...named]}
    />
  )
}
