import type { Invited, MemberList } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { InvitationLink } from '../team/invitation-link.tsx'
import { memberStatusLabels, roleLabels, roleOptions } from '../team/roles.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, Select, Switch, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Table } from '../ui/table.tsx'

export function OrgMembers({ org }: { org: string }) {
  const members = useGet<MemberList>(path`/v1/ops/orgs/${org}/members`)
  const [isInviting, setInviting] = useState(false)
  const [issued, setIssued] = useState<Invited | null>(null)
  const { send, busy, error } = useSend()
  const close = () => {
    setInviting(false)
    setIssued(null)
  }
  return (
    <Section title="Members" actions={<Button onClick={() => setInviting(true)}>Invite member</Button>}>
      <Refusal error={error} />
      <Loaded of={members}>
        {({ members: all }) => (
          <Table
            caption="Members"
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Member',
                cell: ({ name, email }) => (
                  <>
                    {name}
                    <div className="soft wrap-anywhere">{email}</div>
                  </>
                ),
              },
              { title: 'Role', cell: ({ role }) => roleLabels[role] },
              {
                title: 'Status',
                cell: ({ status }) => (
                  <Badge tone={status === 'active' ? 'good' : 'warn'}>{memberStatusLabels[status]}</Badge>
                ),
              },
              {
                title: 'Operator',
                cell: ({ id, operator, name }) => (
                  <Switch
                    label={<span className="sr-only">{name} is an operator</span>}
                    checked={operator}
                    onChange={(wanted) =>
                      void send('put', path`/v1/ops/orgs/${org}/members/${id}/operator`, { operator: wanted })
                    }
                  />
                ),
              },
              {
                title: '',
                cell: ({ id, name }) => (
                  <ConfirmButton
                    busy={busy}
                    confirmLabel={
                      <>
                        Yes, remove <span className="sr-only">{name}</span>
                      </>
                    }
                    onConfirm={() => void send('delete', path`/v1/ops/orgs/${org}/members/${id}`)}
                  >
                    Remove <span className="sr-only">{name}</span>
                  </ConfirmButton>
                ),
              },
            ]}
            empty={
              <Empty title="No members yet">
                <p>Invite the first admin, who can invite the others.</p>
              </Empty>
            }
          />
        )}
      </Loaded>
      <Dialog title="Invite member" open={isInviting || issued !== null} onClose={close}>
        {issued ? (
          <InvitationLink issued={issued} what="invitation" />
        ) : (
          <Invite org={org} onInvited={setIssued} />
        )}
      </Dialog>
    </Section>
  )
}

function Invite({ org, onInvited }: { org: string; onInvited: (invited: Invited) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('admin')
  const [operator, setOperator] = useState(false)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const invited = await send<Invited>('post', path`/v1/ops/orgs/${org}/members`, { email, role, operator })
    if (invited) onInvited(invited)
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField label="Email" type="email" required autoFocus value={email} onChange={setEmail} />
      <Select label="Role" value={role} onChange={setRole} options={roleOptions} />
      <Checkbox label="Also an operator of the platform" checked={operator} onChange={setOperator} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Send invitation
        </Button>
      </div>
    </form>
  )
}
