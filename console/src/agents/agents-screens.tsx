import { Route, Switch } from 'wouter'
import { AgentPage } from './agent-page.tsx'
import { AgentsList } from './agents-list.tsx'

export default function AgentsScreens() {
  return (
    <Switch>
      <Route path="/agents/:agent/:part?">
        {({ agent, part }) => <AgentPage key={agent} agent={agent} part={part ?? ''} />}
      </Route>
      <Route>
        <AgentsList />
      </Route>
    </Switch>
  )
}
