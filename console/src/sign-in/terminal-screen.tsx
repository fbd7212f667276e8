import type { Identity } from '@switchroom/contract/identity'
import type { ApprovedPairing, OwnOrgList, Pairing } from '@switchroom/contract/sign-in'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { signIn, useSession } from '../api/session.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { CodeSignIn } from './code-sign-in.tsx'
import { Door } from './sign-in-frame.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

/** A terminal shows this address and waits; a signed-in person approves it. */
export default function TerminalScreen() {
  const { key, ended } = useSession()
  const [{ word, code }] = useState(readAddress)
  const [refused, setRefused] = useState<Error | null>(null)
  const [isDeclined, setDeclined] = useState(false)

  if (word === null)
    return (
      <Door title="Sign a terminal in">
        <Empty title="No terminal waits at this address">
          <p>Open the whole address that the terminal shows.</p>
        </Empty>
      </Door>
    )
  if (code !== null && key === null && !refused && !isDeclined)
    return <CodeSignIn code={code} onRefused={setRefused} onDeclined={() => setDeclined(true)} />
  return (
    <Door title="Sign a terminal in">
      {key === null ? (
        <>
          <Refusal error={refused ?? ended} />
          <PasswordSignIn pairing={word} onKey={(minted) => signIn(minted, { isKept: false })} />
        </>
      ) : (
        <Approval word={word} />
      )}
    </Door>
  )
}

/** The word stays for a reload; the login code need not. */
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
      <div className="door-card" role="status">
        <p>
          <strong>{approved.device}</strong> is signed in. You can close this page.
        </p>
      </div>
    )
  return (
    <Answered of={waiting}>
      {({ device, answered, bound }) =>
        answered ? (
          <div className="door-card">
            <p>This terminal was answered already. If it was not you, end its key under Keys.</p>
          </div>
        ) : (
          <div className="door-card">
            <p>
              <strong className="wrap-anywhere">{device}</strong> waits to be signed in as{' '}
              <strong>{me.data?.name ?? 'you'}</strong>. Approve it only if you have just started it yourself.
            </p>
            {bound ? null : (
              <p className="field-hint" role="note">
                This terminal has no secret of its own: anybody who has seen this address can take its key.
                Approve it only if nobody else has, or update svc and run svc login again.
              </p>
            )}
            {mine.length > 1 ? (
              <Select
                label="Org"
                value={org?.org ?? ''}
                onChange={setChosen}
                options={mine.map(({ org: value, name }) => ({ value, label: name }))}
              />
            ) : null}
            <Refusal error={error} />
            <Button tone="primary" busy={busy} onClick={() => void approve()}>
              Sign this terminal in
            </Button>
          </div>
        )
      }
    </Answered>
  )
}
