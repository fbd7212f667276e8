import { useFilters } from '../api/query-filters.ts'
import { useWho } from '../who/identity.ts'
import { Page, Section } from '../ui/page.tsx'
import { DialForm } from './dial-form.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { OwnPhoneSection } from './own-phone.tsx'

export function DialPage() {
  const [{ agent, to }] = useFilters(['agent', 'to'])
  const { me } = useWho()
  return (
    <Page title="Dial">
      <NumberTabs current="/numbers/dial" />
      <Section
        title="Place a call"
        hint="Check tests every rule without dialing, and shows why a call would be refused."
      >
        <DialForm agent={agent} to={to} />
      </Section>
      {me?.subject ? <OwnPhoneSection /> : null}
    </Page>
  )
}
