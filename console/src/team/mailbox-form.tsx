import type { Mailbox, PlatformMailbox, SentLetter } from '@switchroom/contract/mail'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { screenSentence } from '../api/screen-sentences.ts'
import { useWho } from '../who/identity.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

type MailboxSettings = Mailbox & Partial<Pick<PlatformMailbox, 'source'>>

/** An SMTP account, an org's or the platform's. */
export function MailboxForm({ address }: { address: '/v1/org/mail' | '/v1/ops/mail' }) {
  const mailbox = useGet<MailboxSettings>(address)
  return (
    <Loaded of={mailbox}>
      {(current) => (
        <>
          <State current={current} />
          <Account key={`${current.host} ${current.from}`} address={address} current={current} />
          <Trial address={address} />
        </>
      )}
    </Loaded>
  )
}

function State({ current: { configured, verified_at, last_error, source } }: { current: MailboxSettings }) {
  if (!configured) return <StatusLight state="waiting" label="No account configured" />
  if (last_error) return <StatusLight state="broken" label={screenSentence(last_error)} />
  if (verified_at === null)
    return (
      <StatusLight
        state="waiting"
        label={source === 'environment' ? 'Set in the deployment’s settings' : 'Saved. No email sent yet'}
      />
    )
  return (
    <StatusLight
      state="ok"
      label={
        <>
          Last email sent <Time at={verified_at} />
        </>
      }
    />
  )
}

function Account({ address, current }: { address: string; current: MailboxSettings }) {
  const [host, setHost] = useState(current.host ?? '')
  const [port, setPort] = useState(String(current.port ?? 587))
  const [security, setSecurity] = useState<string>(current.security ?? 'starttls')
  const [username, setUsername] = useState(current.username ?? '')
  const [password, setPassword] = useState('')
  const [from, setFrom] = useState(current.from ?? '')
  const { send, busy, error } = useSend()
  const isStored = current.configured && current.source !== 'environment'
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
    if (await send('put', address, body)) toast('Account saved.')
  }
  const remove = async () => {
    if (await send('delete', address)) toast('Account deleted.')
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
              { value: 'tls', label: 'TLS' },
            ]}
          />
          <TextField label="Username" autoComplete="off" value={username} onChange={setUsername} />
          <TextField
            label="Password"
            type="password"
            autoComplete="off"
            hint="Enter it again with every save. It is never shown."
            value={password}
            onChange={setPassword}
          />
          <TextField
            label="From address"
            hint="a@b or Name <a@b>."
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
            <ConfirmButton busy={busy} confirmLabel="Yes, delete the account" onConfirm={() => void remove()}>
              Delete account
            </ConfirmButton>
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
    <Section title="Test" hint="Sends one email and waits for the result.">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <TextField label="To" type="email" required value={to} onChange={setTo} />
        <Refusal
          error={
            error ?? (sent && !sent.sent ? screenSentence(sent.error ?? 'the email was not sent') : null)
          }
        />
        {sent?.sent ? (
          <p role="status">
            <StatusLight state="ok" label="Email sent" />
          </p>
        ) : null}
        <div className="row">
          <Button type="submit" busy={busy}>
            Send test email
          </Button>
        </div>
      </form>
    </Section>
  )
}
