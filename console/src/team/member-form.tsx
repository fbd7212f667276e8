import type { Invited, Member } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { toast } from '../ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { agentsIn, roleOptions } from './roles.ts'

/** Sends only the changed fields: each has its own rules. */
export function MemberForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const [role, setRole] = useState<string>(member.role)
  const [agents, setAgents] = useState(member.agents.join(', '))
  const [production, setProduction] = useState(member.production)
  const [issued, setIssued] = useState<Invited | null>(null)
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
    else void change(body, `${member.name} updated.`)
  }
  const remove = async () => {
    if (!(await send('delete', address))) return
    toast(`${member.name} removed.`)
    onDone()
  }
  if (issued) return <InvitationLink issued={issued} what="password reset link" />
  return (
    <form className="stack" onSubmit={submit}>
      <Select label="Role" value={role} onChange={setRole} options={roleOptions} />
      <TextField
        label="Agents"
        hint="Agent names, separated by commas. Leave empty for all agents."
        value={agents}
        onChange={setAgents}
      />
      <Checkbox label="Production access" checked={production} onChange={setProduction} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save
        </Button>
        {member.status === 'active' ? (
          <Button
            onClick={() =>
              void send<Invited>('post', `${address}/reset`).then((made) => made && setIssued(made))
            }
          >
            Create password reset link
          </Button>
        ) : null}
      </div>
      <hr />
      <div className="row">
        {member.status === 'active' ? (
          <ConfirmButton
            busy={busy}
            confirmLabel={`Yes, disable ${member.name} and revoke their keys`}
            onConfirm={() =>
              void change({ status: 'disabled' }, `${member.name} disabled. All their keys are revoked.`)
            }
          >
            Disable
          </ConfirmButton>
        ) : null}
        {member.status === 'disabled' ? (
          <Button onClick={() => void change({ status: 'active' }, `${member.name} re-enabled.`)}>
            Re-enable
          </Button>
        ) : null}
        <ConfirmButton
          busy={busy}
          confirmLabel={`Yes, remove ${member.name}`}
          onConfirm={() => void remove()}
        >
          Remove
        </ConfirmButton>
      </div>
    </form>
  )
}
