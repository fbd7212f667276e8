import type { Identity } from '@switchroom/contract/identity'
import type { ApprovedPairing, OwnOrgList, Pairing } from '@switchroom/contract/sign-in'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { signIn, useSession } from '../api/session.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import CodeSignIn from './code-sign-in.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

/** A terminal shows this address and polls; a signed-in person approves it. */
export default function TerminalScreen() {
  const { key, ended } = useSession()
  const [{ word, code }] = useState(readAddress)
  const [refused, setRefused] = useState<Error | null>(null)
  const [isDeclined, setDeclined] = useState(false)

  if (word === null)
    return (
      <SignInFrame title="Sign in a terminal">
        <Empty title="No terminal is waiting at this address">
          <p>Open the complete address that the terminal shows.</p>
        </Empty>
      </SignInFrame>
    )
  if (code !== null && key === null && !refused && !isDeclined)
    return <CodeSignIn code={code} onRefused={setRefused} onDeclined={() => setDeclined(true)} />
  return (
    <SignInFrame title="Sign in a terminal">
      {key === null ? (
        <>
          <Refusal error={refused ?? ended} />
          <PasswordSignIn pairing={word} onKey={(minted) => signIn(minted, 'until the browser closes')} />
        </>
      ) : (
        <Approval word={word} />
      )}
    </SignInFrame>
  )
}

/** Keeps the pairing code in the address for a reload, and removes the login code. */
function readAddress() {
  const query = new URLSearchParams(location.search)
  const [word, code] = [query.get('c'), query.get('login')]
  if (code !== null && word !== null)
    history.replaceState(null, '', `/cli?${new URLSearchParams({ c: word })}`)
  return { word, code }
}

function Approval({ word }: { word: string }) {
  const waiting = useGet<Pairing>(path`/v1/login/pairings/${word}`)
  const me = useGet<Identity>('/v1/whoami')
  const orgs = useGet<OwnOrgList>('/v1/login/orgs')
  const [chosen, setChosen] = useState<string | null>(null)
  const [approved, setApproved] = useState<ApprovedPairing | null>(null)
  const { send, busy, error } = useSend()
  const mine = orgs.data?.orgs.filter(({ member, here }) => member || here) ?? []
  const org = mine.find((one) => one.org === chosen) ?? mine.find(({ here }) => here)

  const approve = async () => {
    const body = org ? { org: org.org, org_name: org.name } : {}
    setApproved(await send<ApprovedPairing>('post', path`/v1/login/pairings/${word}`, body))
  }
  if (approved)
    return (
      <div className="sign-in-card" role="status">
        <p>
          <strong>{approved.device}</strong> is signed in. You can close this page.
        </p>
      </div>
    )
  return (
    <Loaded of={waiting}>
      {({ device, answered, bound }) =>
        answered ? (
          <div className="sign-in-card">
            <p>This terminal is already approved. If it was not you, revoke its key under Keys.</p>
          </div>
        ) : (
          <div className="sign-in-card">
            <p>
              <strong className="wrap-anywhere">{device}</strong> is waiting to be signed in as{' '}
              <strong>{me.data?.name ?? 'you'}</strong>. Approve it only if you just started it yourself.
            </p>
            {bound ? null : (
              <p className="field-hint" role="note">
                This terminal runs an old version of svc: anyone who has seen this address can collect its
                key. Approve it only if no one else has seen it, or update svc and run svc login again.
              </p>
            )}
            {mine.length > 1 ? (
              <Select
                label="Organization"
                value={org?.org ?? ''}
                onChange={setChosen}
                options={mine.map(({ org: value, name }) => ({ value, label: name }))}
              />
            ) : null}
            <Refusal error={error} />
            <Button tone="primary" busy={busy} onClick={() => void approve()}>
              Approve terminal
            </Button>
          </div>
        )
      }
    </Loaded>
  )
}
