import { Redirect, Route, Switch } from 'wouter'
import { AuditLog } from '../audit/audit-log.tsx'
import { useWho } from '../who/identity.ts'
import { NoSuchPage } from '../ui/no-such-page.tsx'
import { Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { BrandScreen } from './brand-screen.tsx'
import { OrgScreen } from './org-screen.tsx'
import { OrgsScreen } from './orgs-screen.tsx'
import { PlatformMailScreen } from './platform-mail-screen.tsx'
import { ProvidersScreen } from './providers-screen.tsx'
import { RetentionScreen } from './retention-screen.tsx'
import { RouteNumberScreen } from './route-number-screen.tsx'

export default function PlatformScreens() {
  const { operator } = useWho()
  if (!operator)
    return (
      <Page title="Platform">
        <Empty title="You are not an operator">
          <p>An operator of this platform can give you access.</p>
        </Empty>
      </Page>
    )
  return (
    <Switch>
      <Route path="/platform/orgs" component={OrgsScreen} />
      <Route path="/platform/orgs/:org">{({ org }) => <OrgScreen key={org} org={org} />}</Route>
      <Route path="/platform/brand" component={BrandScreen} />
      <Route path="/platform/mail" component={PlatformMailScreen} />
      <Route path="/platform/providers" component={ProvidersScreen} />
      <Route path="/platform/route-number" component={RouteNumberScreen} />
      <Route path="/platform/retention" component={RetentionScreen} />
      <Route path="/platform/audit">
        <AuditLog isPlatform />
      </Route>
      {['/', '/platform'].map((beginning) => (
        <Route key={beginning} path={beginning}>
          <Redirect to="/platform/orgs" replace />
        </Route>
      ))}
      <Route component={NoSuchPage} />
    </Switch>
  )
}
