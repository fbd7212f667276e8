import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { useSession } from '../api/session.ts'
import { Progress } from '../ui/feedback.tsx'
import { useWho } from '../who/identity.ts'
import { NoSuchPage } from '../ui/no-such-page.tsx'

const AgentsScreens = lazy(() => import('../agents/agents-screens.tsx'))
const HomeScreen = lazy(() => import('../home/home-screen.tsx'))
const CallsScreens = lazy(() => import('../calls/calls-screens.tsx'))
const NumbersScreens = lazy(() => import('../numbers/numbers-screens.tsx'))
const KnowledgeScreens = lazy(() => import('../knowledge/knowledge-screens.tsx'))
const ThreadsScreens = lazy(() => import('../threads/threads-screens.tsx'))
const TeamScreen = lazy(() => import('../team/team-screen.tsx'))
const KeysScreen = lazy(() => import('../team/keys-screen.tsx'))
const PublishableKeysScreen = lazy(() => import('../team/publishable-keys-screen.tsx'))
const ProviderKeysScreen = lazy(() => import('../team/provider-keys-screen.tsx'))
const ModelEndpointsScreen = lazy(() => import('../team/model-endpoints-screen.tsx'))
const WebhooksScreen = lazy(() => import('../webhooks/webhooks-screen.tsx'))
const EvaluationScreen = lazy(() => import('../team/evaluation-screen.tsx'))
const SingleSignOnScreen = lazy(() => import('../team/single-sign-on-screen.tsx'))
const MailboxScreen = lazy(() => import('../team/mailbox-screen.tsx'))
const AuditScreen = lazy(() => import('../audit/audit-screen.tsx'))
const PlatformScreens = lazy(() => import('../platform/platform-screens.tsx'))

/** One screen per address, remounted when the key or the environment changes. */
export function Screens() {
  const { env, key } = useSession()
  const { me } = useWho()
  return (
    <Suspense key={`${key} ${env}`} fallback={<Progress />}>
      <Switch>
        <Route path="/home" component={HomeScreen} />
        <Route path="/agents/*?" component={AgentsScreens} />
        <Route path="/calls/*?" component={CallsScreens} />
        <Route path="/numbers/*?" component={NumbersScreens} />
        <Route path="/knowledge/*?" component={KnowledgeScreens} />
        <Route path="/threads/*?" component={ThreadsScreens} />
        <Route path="/team" component={TeamScreen} />
        <Route path="/keys" component={KeysScreen} />
        <Route path="/publishable-keys" component={PublishableKeysScreen} />
        <Route path="/provider-keys" component={ProviderKeysScreen} />
        <Route path="/model-endpoints" component={ModelEndpointsScreen} />
        <Route path="/webhooks" component={WebhooksScreen} />
        <Route path="/judging" component={EvaluationScreen} />
        <Route path="/single-sign-on" component={SingleSignOnScreen} />
        <Route path="/mailbox" component={MailboxScreen} />
        <Route path="/audit" component={AuditScreen} />
        <Route path="/platform/*?" component={PlatformScreens} />
        <Route path="/" component={me ? AgentsScreens : PlatformScreens} />
        <Route component={NoSuchPage} />
      </Switch>
    </Suspense>
  )
}
