import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { makeQueries } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { SignInScreen } from '../sign-in/sign-in-screen.tsx'
import { Progress } from '../ui/feedback.tsx'
import { Toasts } from '../ui/toast.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { useBrandColours, useDiscovery } from '../who/brand.ts'
import { SignedIn } from './signed-in.tsx'

const InvitationScreen = lazy(() => import('../sign-in/invitation-screen.tsx'))
const TerminalScreen = lazy(() => import('../sign-in/terminal-screen.tsx'))
const SignUpScreen = lazy(() => import('../sign-in/sign-up-screen.tsx'))
const ResetScreen = lazy(() => import('../sign-in/reset-screen.tsx'))

export function App() {
  const [queries] = useState(makeQueries)
  const [path] = useLocation()
  return (
    <QueryClientProvider client={queries}>
      <ErrorBoundary path={path}>
        <Suspense fallback={<Progress />}>
          <EntryRoutes />
        </Suspense>
      </ErrorBoundary>
      <Toasts />
    </QueryClientProvider>
  )
}

/** Pages that work with or without a session come before the console itself. */
function EntryRoutes() {
  const { key } = useSession()
  useBrandColours(useDiscovery()?.brand.accent)
  return (
    <Switch>
      <Route path="/invitations/:token">{({ token }) => <InvitationScreen token={token} />}</Route>
      <Route path="/cli">
        <TerminalScreen />
      </Route>
      <Route path="/sign-up">
        <SignUpScreen />
      </Route>
      <Route path="/forgotten-password">
        <ResetScreen />
      </Route>
      <Route>{key === null || hasCode() ? <SignInScreen /> : <SignedIn />}</Route>
    </Switch>
  )
}

/** A login code is also handled while signed in: the person confirms before it replaces the account. */
const hasCode = () => new URLSearchParams(location.search).has('login')
