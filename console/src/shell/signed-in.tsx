import { useEffect } from 'react'
import { screenSentence } from '../api/screen-sentences.ts'
import { chooseEnvironment, signOut, showRefusal, useSession } from '../api/session.ts'
import { Progress, LoadError } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Frame } from './frame.tsx'
import { useIdentity, WhoContext } from '../who/identity.ts'
import { Screens } from './screens.tsx'

export function SignedIn() {
  const identity = useIdentity()
  const { data: who } = identity
  const { env } = useSession()
  const me = who?.me
  const only = me && (me.email === null ? me.env : me.production ? null : 'sandbox')
  useEffect(() => {
    if (only && env !== only) chooseEnvironment(only)
  }, [only, env])

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
  return (
    <WhoContext value={who}>
      <Frame>
        <Screens />
      </Frame>
    </WhoContext>
  )
}
