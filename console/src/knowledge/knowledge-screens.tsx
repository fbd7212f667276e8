import { Route, Switch } from 'wouter'
import { BasePage } from './base-page.tsx'
import { BasesList } from './bases-list.tsx'

export default function KnowledgeScreens() {
  return (
    <Switch>
      <Route path="/knowledge/:base/:part?">
        {({ base, part }) => <BasePage key={base} name={decodeURIComponent(base)} part={part ?? ''} />}
      </Route>
      <Route>
        <BasesList />
      </Route>
    </Switch>
  )
}
