import { useEffect } from 'react'
import { chooseEnvironment, signOut, tellRefusal, useSession } from '../api/session.ts'
import { Progress, Unanswered } from '../ui/answers.tsx'
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
    tellRefusal(refused)
  }, [])

  if (!who) {
    if (!identity.error) return <Progress label="Signing in" />
    return (
      <main className="page">
        <Unanswered of={identity} />
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
