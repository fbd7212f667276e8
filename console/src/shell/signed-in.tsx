import { useEffect } from 'react'
import { Redirect, Router, useLocation } from 'wouter'
import { addressIn, environmentIn, environmentNames, otherThan } from '../api/environment.ts'
import { screenSentence } from '../api/screen-sentences.ts'
import { signOut, showRefusal, useSession } from '../api/session.ts'
import { Empty, Progress, LoadError } from '../ui/feedback.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Frame } from './frame.tsx'
import { mayEnter, useIdentity, WhoContext } from '../who/identity.ts'
import { askBeforeNavigation } from './leaving.tsx'
import { Screens } from './screens.tsx'

/** Every address begins with its environment; one of an older version, or of a bookmark, gets it in front. */
export function SignedIn() {
  const identity = useIdentity()
  const { data: who } = identity
  const [pathname] = useLocation()
  const { env } = useSession()

  useEffect(() => {
    const refused = new URLSearchParams(location.search).get('refused')
    if (refused === null) return
    history.replaceState(null, '', location.pathname)
    showRefusal(screenSentence(refused))
  }, [])

  if (!who) {
    if (!identity.error) return <Progress label="Signing in" />
    return (
      <main className="page">
        <LoadError of={identity} />
        <div className="row">
          <Button onClick={() => signOut()}>Sign out</Button>
        </div>
      </main>
    )
  }
  const { me } = who
  const canEnter = me === null || mayEnter(me, env)
  if (environmentIn(pathname) === null)
    return <Redirect to={addressIn(canEnter ? env : otherThan(env))} replace />
  return (
    <Router base={`/${env}`} aroundNav={askBeforeNavigation}>
      <WhoContext value={who}>
        <Frame>{canEnter ? <Screens /> : <ClosedEnvironment />}</Frame>
      </WhoContext>
    </Router>
  )
}

/** For a shared link into the environment that the key does not open. */
function ClosedEnvironment() {
  const { env } = useSession()
  const other = otherThan(env)
  return (
    <Page title={`No access to ${env}`}>
      <Empty title={`This link leads into ${env === 'sandbox' ? 'the sandbox' : 'production'}`}>
        <p>
          {env === 'production'
            ? 'An admin can give you production access under Team.'
            : 'You are signed in with a key of production.'}
        </p>
        <ButtonLink href={`~/${other}`}>Go to {environmentNames[other].toLowerCase()}</ButtonLink>
      </Empty>
    </Page>
  )
}
