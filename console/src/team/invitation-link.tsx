import type { Invited } from '@switchroom/contract/members'
import { Copy } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'

export interface LinkHandedProps {
  handed: Pick<Invited, 'link' | 'mailed' | 'expires_at' | 'member'>
  what: string
}

/** A link is shown this once: it lets its holder choose a password. */
export function LinkHanded({ handed: { link, mailed, expires_at, member }, what }: LinkHandedProps) {
  return (
    <div className="stack" role="status">
      <p>
        {mailed ? `The ${what} is on its way to ` : `The ${what} is made for `}
        <strong className="wrap-anywhere">{member.email}</strong>. It works once, until{' '}
        <Time at={expires_at} />.
      </p>
      {link === null ? (
        <p>
          {mailed
            ? 'They are in another org too, so only their own mailbox may hold the link.'
            : 'They are in another org too, so only their own mailbox may hold the link, and nothing here can send mail: set a mailbox first.'}
        </p>
      ) : (
        <>
          <p>
            {mailed
              ? 'You can hand it over yourself as well:'
              : 'No letter was sent: hand this link over yourself.'}
          </p>
          <Copy label="the link" text={link} />
        </>
      )}
    </div>
  )
}
