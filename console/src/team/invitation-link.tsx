import type { Invited } from '@switchroom/contract/members'
import { Copy } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'

export interface InvitationLinkProps {
  issued: Pick<Invited, 'link' | 'mailed' | 'expires_at' | 'member'>
  what: string
}

/** A one-use link that sets a password, shown once. */
export function InvitationLink({ issued: { link, mailed, expires_at, member }, what }: InvitationLinkProps) {
  return (
    <div className="stack" role="status">
      <p>
        {mailed ? `The ${what} was emailed to ` : `The ${what} is ready for `}
        <strong className="wrap-anywhere">{member.email}</strong>. It works once, until{' '}
        <Time at={expires_at} />.
      </p>
      {link === null ? (
        <p>
          {mailed
            ? 'They belong to another organization too, so the link is only sent to their own mailbox.'
            : 'They belong to another organization too, so the link can only be emailed. Set up a mailbox first.'}
        </p>
      ) : (
        <>
          <p>
            {mailed
              ? 'You can also share the link yourself:'
              : 'No email was sent. Share this link yourself:'}
          </p>
          <Copy label="link" text={link} />
        </>
      )}
    </div>
  )
}
