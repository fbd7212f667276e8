import type { AgentList } from '@switchroom/contract/apps'
import { useId } from 'react'
import { useGet } from '../api/queries.ts'
import { TextField } from '../ui/field.tsx'

interface AgentFieldProps {
  value: string
  onChange: (value: string) => void
  hint?: string
}

/** The name of an agent, also of one that no app has declared yet. */
export function AgentField({ value, onChange, hint }: AgentFieldProps) {
  const { data } = useGet<AgentList>('/v1/agents')
  const list = useId()
  return (
    <>
      <TextField
        label="Agent"
        value={value}
        onChange={onChange}
        list={list}
        required
        autoComplete="off"
        spellCheck={false}
        hint={hint}
      />
      <datalist id={list}>
        {data?.agents.map(({ agent, held }) => (
          <option key={agent} value={agent}>
            {held ? 'Connected' : 'Offline'}
          </option>
        ))}
      </datalist>
    </>
  )
}
