import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { screenSentence } from '../api/screen-sentences.ts'
import { currentSession, showRefusal, useSession } from '../api/session.ts'
import { useDiscovery } from '../who/brand.ts'
import { Progress, Refusal } from '../ui/feedback.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

const CodeSignIn = lazy(() => import('./code-sign-in.tsx'))
const KeySignIn = lazy(() => import('./key-sign-in.tsx'))

/** A signed-in person stays signed in and sees the error in the console. */
function orShow(setRefused: (error: Error) => void): (error: Error) => void {
  return (error) => (currentSession().key === null ? setRefused(error) : showRefusal(error.message))
}

/** Reads the login code and the refusal once, and removes the refusal from the address. */
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
  const [onRefused] = useState(() => orShow(setCodeRefused))
  const [isDeclined, setDeclined] = useState(false)
  const [hasKey, setHasKey] = useState(false)
  const discovery = useDiscovery()

  const decline = () => (currentSession().key === null ? setDeclined(true) : showRefusal(null))
  if (code !== null && !codeRefused && !isDeclined)
    return <CodeSignIn code={code} onRefused={onRefused} onDeclined={decline} />
  return (
    <SignInFrame title="Sign in">
      <Refusal error={codeRefused ?? (refused && screenSentence(refused)) ?? ended} />
      <Suspense fallback={<Progress />}>{hasKey ? <KeySignIn /> : <PasswordSignIn />}</Suspense>
      {discovery ? (
        <div className="sign-in-links">
          {discovery.mail ? <Link href="/forgotten-password">Forgot password?</Link> : null}
          {discovery.signup ? <Link href="/sign-up">Sign up</Link> : null}
          <a href="#key" onClick={(event) => (event.preventDefault(), setHasKey(!hasKey))}>
            {hasKey ? 'Sign in with a password' : 'Sign in with a key'}
          </a>
        </div>
      ) : (
        <Progress />
      )}
    </SignInFrame>
  )
}
