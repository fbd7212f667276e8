import { Redirect, Route, Switch } from 'wouter'
import { useCan } from '../who/identity.ts'
import { Approvals } from './approvals.tsx'
import { Carriers } from './carriers.tsx'
import { Consent } from './consent.tsx'
import { DialPage } from './dial-page.tsx'
import { DoNotCall } from './do-not-call.tsx'
import { ImportWizard } from './import-wizard.tsx'
import { DialLog } from './dial-log.tsx'
import { NumberPage } from './number-page.tsx'
import { Numbers } from './numbers-list.tsx'
import { Outbound } from './outbound.tsx'

export default function NumbersScreens() {
  const can = useCan()
  return (
    <Switch>
      <Route path="/numbers">
        {can('numbers') ? <Numbers /> : <Redirect to="/numbers/ledger" replace />}
      </Route>
      <Route path="/numbers/import" component={ImportWizard} />
      <Route path="/numbers/carriers" component={Carriers} />
      <Route path="/numbers/outbound" component={Outbound} />
      <Route path="/numbers/dial" component={DialPage} />
      <Route path="/numbers/consent" component={Consent} />
      <Route path="/numbers/do-not-call" component={DoNotCall} />
      <Route path="/numbers/ledger" component={DialLog} />
      <Route path="/numbers/approvals" component={Approvals} />
      <Route path="/numbers/:number">
        {({ number }) => <NumberPage key={number} number={decodeURIComponent(number)} />}
      </Route>
    </Switch>
  )
}
