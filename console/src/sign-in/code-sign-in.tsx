import type { Identity } from '@switchroom/contract/identity'
import type { MintedKey } from '@switchroom/contract/keys'
import { useEffect, useState } from 'react'
import { api, path } from '../api/client.ts'
import { currentSession, signIn } from '../api/session.ts'
import { Progress } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { thisDevice } from './device.ts'
import { SignInFrame } from './sign-in-frame.tsx'

/** The account of the code, and the account that is signed in now. */
interface Offer {
  minted: MintedKey
  offered: Identity
  current: Identity | 'a key' | null
}

let spending: { code: string; offer: Promise<Offer> } | undefined

/** A code works once, and an effect may run twice. */
function spend(code: string): Promise<Offer> {
  if (spending?.code !== code) spending = { code, offer: offerOf(code) }
  return spending.offer
}

async function offerOf(code: string): Promise<Offer> {
  const minted = await api.post<MintedKey>('/v1/login', { code, device: thisDevice() }, { key: null })
  const offered = await whoIs(minted.key)
  const { key } = currentSession()
  const current = key === null ? null : await whoIs(key).catch(() => 'a key' as const)
  return { minted, offered, current }
}

const whoIs = (key: string) => api.get<Identity>('/v1/whoami', { key, env: null, isProbe: true })

/** A link may come from a stranger: the person confirms the account before it signs in or replaces another. */
export default function CodeSignIn({
  code,
  onRefused,
  onDeclined,
}: {
  code: string
  onRefused: (error: Error) => void
  onDeclined: () => void
}) {
  const [offer, setOffer] = useState<Offer | null>(null)
  useEffect(() => {
    let isHere = true
    const redeem = async () => {
      const made = await spend(code).catch((error: Error) => error)
      if (!isHere) return
      if (made instanceof Error) {
        removeCode()
        onRefused(made)
      } else if (isSamePerson(made)) accept(made)
      else setOffer(made)
    }
    void redeem()
    return () => {
      isHere = false
    }
  }, [code, onRefused])

  if (!offer) return <Progress label="Signing in" />
  const { offered, current } = offer
  const name = nameOf(offered)
  const decline = () => {
    const { key, key_id } = offer.minted
    void api
      .post(path`/v1/keys/${key_id}/revoke`, undefined, { key, env: null, isProbe: true })
      .catch(() => {}) // its secret is not stored here anyway
    removeCode()
    onDeclined()
  }
  return (
    <SignInFrame title="Sign in">
      <div className="sign-in-card">
        {current === null ? null : (
          <p>
            You are signed in{' '}
            {current === 'a key' ? (
              'with a key'
            ) : (
              <>
                as <Account of={current} />
              </>
            )}
            .
          </p>
        )}
        <p>
          {current === null ? 'Sign in to this browser as ' : 'Sign in as '}
          <Account of={offered} />
          {current === null ? '?' : ' instead?'} Continue only if this account is yours.
        </p>
        <Button tone="primary" onClick={() => accept(offer)}>
          Sign in as {name}
        </Button>
        <Button onClick={decline}>
          {current === null || current === 'a key'
            ? 'Do not sign in'
            : `Stay signed in as ${nameOf(current)}`}
        </Button>
      </div>
    </SignInFrame>
  )
}

function Account({ of: identity }: { of: Identity }) {
  const { email, slug } = identity
  return (
    <>
      <strong className="wrap-anywhere">{nameOf(identity)}</strong>
      {email === null ? '' : ` (${email})`} in <strong>{slug}</strong>
    </>
  )
}

const nameOf = ({ name, label }: Identity) => name || label

const isSamePerson = ({ offered, current }: Offer) =>
  current !== null &&
  current !== 'a key' &&
  offered.subject !== '' &&
  offered.subject === current.subject &&
  offered.org === current.org

function accept({ minted }: Offer): void {
  removeCode()
  signIn(minted.key, 'until the browser closes')
}

/** Removes the code from the address; the pairing code of a terminal stays. */
function removeCode(): void {
  const word = new URLSearchParams(location.search).get('c')
  const search = word === null ? '' : `?${new URLSearchParams({ c: word })}`
  history.replaceState(null, '', location.pathname + search)
}
