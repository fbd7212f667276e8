import type { Mailbox, PlatformMailbox, SentLetter } from '@switchroom/contract/mail'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { useWho } from '../who/identity.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Lamp } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { SureButton } from '../ui/confirm-button.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

type Standing = Mailbox & Partial<Pick<PlatformMailbox, 'source'>>

/** An SMTP account, an org's or the platform's. */
export function MailboxForm({ address }: { address: '/v1/org/mail' | '/v1/ops/mail' }) {
  const mailbox = useGet<Standing>(address)
  return (
    <Answered of={mailbox}>
      {(standing) => (
        <>
          <State standing={standing} />
          <Account key={`${standing.host} ${standing.from}`} address={address} standing={standing} />
          <Trial address={address} />
        </>
      )}
    </Answered>
  )
}

function State({ standing: { configured, verified_at, last_error, source } }: { standing: Standing }) {
  if (!configured) return <Lamp state="waiting" label="No account is kept here" />
  if (last_error) return <Lamp state="broken" label={last_error} />
  if (verified_at === null)
    return (
      <Lamp
        state="waiting"
        label={
          source === 'environment'
            ? 'Set by the deployment’s settings'
            : 'Kept; no letter was sent through it yet'
        }
      />
    )
  return (
    <Lamp
      state="ok"
      label={
        <>
          The last letter went out, <Time at={verified_at} />
        </>
      }
    />
  )
}

function Account({ address, standing }: { address: string; standing: Standing }) {
  const [host, setHost] = useState(standing.host ?? '')
  const [port, setPort] = useState(String(standing.port ?? 587))
  const [security, setSecurity] = useState<string>(standing.security ?? 'starttls')
  const [username, setUsername] = useState(standing.username ?? '')
  const [password, setPassword] = useState('')
  const [from, setFrom] = useState(standing.from ?? '')
  const { send, busy, error } = useSend()
  const isStored = standing.configured && standing.source !== 'environment'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      host,
      port: Number(port),
      security,
      from,
      ...(username && { username }),
      ...(password && { password }),
    }
    if (await send('put', address, body)) toast('The account is kept.')
  }
  const forget = async () => {
    if (await send('delete', address)) toast('The account is forgotten.')
  }
  return (
    <Section title="SMTP account">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          <TextField label="Host" required value={host} onChange={setHost} />
          <TextField label="Port" inputMode="numeric" required value={port} onChange={setPort} />
          <Select
            label="Security"
            value={security}
            onChange={setSecurity}
            options={[
              { value: 'starttls', label: 'STARTTLS' },
              { value: 'tls', label: 'TLS from the first byte' },
            ]}
          />
          <TextField label="User name" autoComplete="off" value={username} onChange={setUsername} />
          <TextField
            label="Password"
            type="password"
            autoComplete="off"
            hint="Write it again with every save: it is never shown."
            value={password}
            onChange={setPassword}
          />
          <TextField
            label="Letters come from"
            hint="a@b, or Name <a@b>."
            required
            value={from}
            onChange={setFrom}
          />
        </div>
        <Refusal error={error} />
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save
          </Button>
          {isStored ? (
            <SureButton busy={busy} sure="Yes, forget the account" onSure={() => void forget()}>
              Forget the account
            </SureButton>
          ) : null}
        </div>
      </form>
    </Section>
  )
}

function Trial({ address }: { address: string }) {
  const { me } = useWho()
  const [to, setTo] = useState(me?.email ?? '')
  const [sent, setSent] = useState<SentLetter | null>(null)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setSent(null)
    setSent(await send<SentLetter>('post', `${address}/test`, { to }))
  }
  return (
    <Section title="Try it" hint="Sends one letter and waits for it.">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <TextField label="To" type="email" required value={to} onChange={setTo} />
        <Refusal error={error ?? (sent && !sent.sent ? (sent.error ?? 'It was not sent.') : null)} />
        {sent?.sent ? (
          <p role="status">
            <Lamp state="ok" label="The letter went out" />
          </p>
        ) : null}
        <div className="row">
          <Button type="submit" busy={busy}>
            Send a letter
          </Button>
        </div>
      </form>
    </Section>
  )
}
