import { Route, Switch } from 'wouter'
import { Inbox } from './inbox.tsx'

export default function ThreadsScreens() {
  return (
    <Switch>
      <Route path="/threads/:agent/:contact">
        {({ agent, contact }) => (
          <Inbox open={{ agent: decodeURIComponent(agent), contact: decodeURIComponent(contact) }} />
        )}
      </Route>
      <Route>
        <Inbox open={null} />
      </Route>
    </Switch>
  )
}
