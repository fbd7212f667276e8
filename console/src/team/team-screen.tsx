import type { Invited, Member, MemberList } from '@switchroom/contract/members'
import { useState } from 'react'
import { useGet } from '../api/queries.ts'
import { useWho } from '../who/identity.ts'
import { Loaded, Empty } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { InviteForm } from './invite-form.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { MemberForm } from './member-form.tsx'
import { memberStatusLabels, roleLabels } from './roles.ts'

export default function TeamScreen() {
  const members = useGet<MemberList>('/v1/members')
  const { me } = useWho()
  const [isInviting, setInviting] = useState(false)
  const [issued, setIssued] = useState<Invited | null>(null)
  const [changing, setChanging] = useState<string | null>(null)
  const changed = members.data?.members.find(({ id }) => id === changing)
  const close = () => {
    setInviting(false)
    setIssued(null)
    setChanging(null)
  }
  return (
    <Page
      title="Team"
      actions={
        <Button tone="primary" onClick={() => setInviting(true)}>
          Invite member
        </Button>
      }
    >
      <Loaded of={members}>
        {({ members: all }) => (
          <Table
            caption="Members"
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Member',
                cell: ({ id, name, email }) => (
                  <>
                    {name} {id === me?.subject ? <Badge>You</Badge> : null}
                    <div className="soft wrap-anywhere">{email}</div>
                  </>
                ),
              },
              { title: 'Role', cell: ({ role }) => roleLabels[role] },
              {
                title: 'Agents',
                cell: ({ agents }) => (agents.length === 0 ? 'All agents' : agents.join(', ')),
              },
              { title: 'Production', cell: ({ production }) => (production ? 'Yes' : 'No') },
              { title: 'Status', cell: statusOf },
              {
                title: '',
                cell: ({ id, name }) =>
                  id === me?.subject ? null : (
                    <Button onClick={() => setChanging(id)}>
                      Edit <span className="sr-only">{name}</span>
                    </Button>
                  ),
              },
            ]}
            empty={<Empty title="No members yet" />}
          />
        )}
      </Loaded>
      <Dialog title="Invite member" open={isInviting || issued !== null} onClose={close}>
        {issued ? <InvitationLink issued={issued} what="invitation" /> : <InviteForm onInvited={setIssued} />}
      </Dialog>
      <Dialog title={changed?.name ?? ''} open={changed !== undefined} onClose={close}>
        {changed ? <MemberForm member={changed} onDone={close} /> : null}
      </Dialog>
    </Page>
  )
}

function statusOf({ status, operator }: Member) {
  const tone = status === 'active' ? 'good' : status === 'invited' ? 'warn' : 'bad'
  return (
    <span className="row">
      <Badge tone={tone}>{memberStatusLabels[status]}</Badge>
      {operator ? <Badge>Operator</Badge> : null}
    </span>
  )
}
