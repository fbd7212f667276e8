import { Route, Switch } from 'wouter'
import { CallPage } from './call-page.tsx'
import { Callbacks } from './callbacks.tsx'
import { AllCalls, LiveCalls } from './calls-list.tsx'

export default function CallsScreens() {
  return (
    <Switch>
      <Route path="/calls">
        <AllCalls />
      </Route>
      <Route path="/calls/live">
        <LiveCalls />
      </Route>
      <Route path="/calls/callbacks">
        <Callbacks />
      </Route>
      <Route path="/calls/:call">
        {({ call }) => <CallPage key={call} call={decodeURIComponent(call)} />}
      </Route>
    </Switch>
  )
}
