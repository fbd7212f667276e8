import { useState } from 'react'
import { Link } from 'wouter'
import { currentSession, tellRefusal, useSession } from '../api/session.ts'
import { useDiscovery } from '../who/brand.ts'
import { Progress, Refusal } from '../ui/answers.tsx'
import { CodeSignIn } from './code-sign-in.tsx'
import { Door } from './sign-in-frame.tsx'
import { KeySignIn } from './key-sign-in.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

/** Whoever is signed in already stays so, and is told. */
function orTell(setRefused: (error: Error) => void): (error: Error) => void {
  return (error) => (currentSession().key === null ? setRefused(error) : tellRefusal(error.message))
}

/** Read once: a login code and a refusal need not stay in the address bar. */
function readAddress() {
  const query = new URLSearchParams(location.search)
  const [code, refused] = [query.get('login'), query.get('refused')]
  if (refused !== null) history.replaceState(null, '', location.pathname)
  return { code, refused }
}

export function SignInScreen() {
  const { ended } = useSession()
  const [{ code, refused }] = useState(readAddress)
  const [codeRefused, setCodeRefused] = useState<Error | null>(null)
  const [onRefused] = useState(() => orTell(setCodeRefused))
  const [isDeclined, setDeclined] = useState(false)
  const [hasKey, setHasKey] = useState(false)
  const discovery = useDiscovery()

  const decline = () => (currentSession().key === null ? setDeclined(true) : tellRefusal(null))
  if (code !== null && !codeRefused && !isDeclined)
    return <CodeSignIn code={code} onRefused={onRefused} onDeclined={decline} />
  return (
    <Door title="Sign in">
      <Refusal error={codeRefused ?? refused ?? ended} />
      {hasKey ? <KeySignIn /> : <PasswordSignIn />}
      {discovery ? (
        <div className="door-links">
          {discovery.mail ? <Link href="/forgotten-password">Forgotten password</Link> : null}
          {discovery.signup ? <Link href="/sign-up">Sign up</Link> : null}
          <a href="#key" onClick={(event) => (event.preventDefault(), setHasKey(!hasKey))}>
            {hasKey ? 'Sign in with a password' : 'Sign in with a key'}
          </a>
        </div>
      ) : (
        <Progress />
      )}
    </Door>
  )
}
