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
        title="Have an agent call somebody"
        hint="The check runs every guard without dialling, and says why a dial would be refused."
      >
        <DialForm agent={agent} to={to} />
      </Section>
      {me?.subject ? <OwnPhoneSection /> : null}
    </Page>
  )
}
