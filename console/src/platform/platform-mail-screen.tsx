import { MailboxForm } from '../team/mailbox-form.tsx'
import { Page } from '../ui/page.tsx'

export function PlatformMailScreen() {
  return (
    <Page title="Platform mail">
      <p className="soft">
        Letters of orgs without an account of their own, and every letter about a password, go out here.
      </p>
      <MailboxForm address="/v1/ops/mail" />
    </Page>
  )
}
