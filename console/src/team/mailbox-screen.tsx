import { Page } from '../ui/page.tsx'
import { MailboxForm } from './mailbox-form.tsx'

export default function MailboxScreen() {
  return (
    <Page title="Mailbox">
      <p className="soft">
        Your organization’s email is sent through this account. Without one, the platform’s is used.
      </p>
      <MailboxForm address="/v1/org/mail" />
    </Page>
  )
}
