import type { Invited, Member } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { SureButton } from '../ui/confirm-button.tsx'
import { toast } from '../ui/toast.tsx'
import { LinkHanded } from './invitation-link.tsx'
import { agentsIn, roleOptions } from './roles.ts'

/** Only what was changed is sent: each field has rules of its own. */
export function MemberForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const [role, setRole] = useState<string>(member.role)
  const [agents, setAgents] = useState(member.agents.join(', '))
  const [production, setProduction] = useState(member.production)
  const [handed, setHanded] = useState<Invited | null>(null)
  const { send, busy, error } = useSend()
  const address = path`/v1/members/${member.id}`

  const change = async (body: object, done: string) => {
    if (!(await send('patch', address, body))) return
    toast(done)
    onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      ...(role !== member.role && { role }),
      ...(agents !== member.agents.join(', ') && { agents: agentsIn(agents) }),
      ...(production !== member.production && { production }),
    }
    if (Object.keys(body).length === 0) onDone()
    else void change(body, `${member.name} is changed.`)
  }
  const remove = async () => {
    if (!(await send('delete', address))) return
    toast(`${member.name} is no longer a member.`)
    onDone()
  }
  if (handed) return <LinkHanded handed={handed} what="link for a new password" />
  return (
    <form className="stack" onSubmit={submit}>
      <Select label="Role" value={role} onChange={setRole} options={roleOptions} />
      <TextField
        label="Agents"
        hint="The agents they work on, with commas; empty for every agent."
        value={agents}
        onChange={setAgents}
      />
      <Checkbox label="May act in production" checked={production} onChange={setProduction} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save
        </Button>
        {member.status === 'active' ? (
          <Button
            onClick={() =>
              void send<Invited>('post', `${address}/reset`).then((made) => made && setHanded(made))
            }
          >
            Make a link for a new password
          </Button>
        ) : null}
      </div>
      <hr />
      <div className="row">
        {member.status === 'active' ? (
          <Button
            tone="danger"
            onClick={() =>
              void change({ status: 'disabled' }, `${member.name} is disabled: every key of theirs ended.`)
            }
          >
            Disable
          </Button>
        ) : null}
        {member.status === 'disabled' ? (
          <Button onClick={() => void change({ status: 'active' }, `${member.name} is active again.`)}>
            Let in again
          </Button>
        ) : null}
        <SureButton busy={busy} sure={`Yes, remove ${member.name}`} onSure={() => void remove()}>
          Remove
        </SureButton>
      </div>
    </form>
  )
}
