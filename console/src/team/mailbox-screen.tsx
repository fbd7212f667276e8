import { Page } from '../ui/page.tsx'
import { MailboxForm } from './mailbox-form.tsx'

export default function MailboxScreen() {
  return (
    <Page title="Mailbox">
      <p className="soft">
        Your org’s letters go out through this account; without one, through the platform’s.
      </p>
      <MailboxForm address="/v1/org/mail" />
    </Page>
  )
}
