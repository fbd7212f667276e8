import type { Invited } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { useSend } from '../api/queries.ts'
import { useWho } from '../who/identity.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { agentsIn, roleOptions } from './roles.ts'

export function InviteForm({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState('developer')
  const [agents, setAgents] = useState('')
  const [production, setProduction] = useState(false)
  const { me } = useWho()
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { email, role, agents: agentsIn(agents), production, ...(name && { name }) }
    const invited = await send<Invited>('post', '/v1/members', body)
    if (invited) onInvited(invited)
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField label="Email" type="email" required autoFocus value={email} onChange={setEmail} />
      <TextField label="Name" value={name} onChange={setName} />
      <Select label="Role" value={role} onChange={setRole} options={roleOptions} />
      <TextField
        label="Agents"
        hint="Agent names, separated by commas. Leave empty for all agents."
        value={agents}
        onChange={setAgents}
      />
      {me?.production && role !== 'admin' ? (
        <Checkbox label="Production access" checked={production} onChange={setProduction} />
      ) : null}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Send invitation
        </Button>
      </div>
    </form>
  )
}
