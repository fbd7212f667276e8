import { MailboxForm } from '../team/mailbox-form.tsx'
import { Page } from '../ui/page.tsx'

export function PlatformMailScreen() {
  return (
    <Page title="Platform mail">
      <p className="soft">Sends password emails, and all email of organizations without their own account.</p>
      <MailboxForm address="/v1/ops/mail" />
    </Page>
  )
}
