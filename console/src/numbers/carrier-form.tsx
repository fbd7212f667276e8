import type { CarrierAccount, CarrierKind, PutCarrier, SipTransport } from '@switchroom/contract/carriers'
import { useState } from 'react'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { kindName, linesOf } from './number-labels.ts'

type TextName = Exclude<keyof PutCarrier, 'kind' | 'addresses'>
type Draft = Record<TextName | 'addresses', string>

const emptyDraft: Draft = {
  label: '',
  account_sid: '',
  user: '',
  secret: '',
  username: '',
  password: '',
  addresses: '',
  outbound_host: '',
  outbound_transport: '',
  outbound_username: '',
  outbound_password: '',
  phone_number_id: '',
  access_token: '',
}

const kinds: CarrierKind[] = ['apicarrier', 'sip', 'msgapp']
const transports: SipTransport[] = ['udp', 'tcp', 'tls']
const idOf = { apicarrier: 'account_sid', sip: 'username', msgapp: 'phone_number_id' } as const

interface CarrierFormProps {
  /** The account that is changed; null for a new one. */
  account: CarrierAccount | null
  onDone: () => void
}

/** An account is tried before it is kept; a secret goes in and never comes out. */
export function CarrierForm({ account, onDone }: CarrierFormProps) {
  const [kind, setKind] = useState<CarrierKind>(account?.kind ?? 'apicarrier')
  const [draft, setDraft] = useState<Draft>({
    ...emptyDraft,
    label: account?.label ?? '',
    ...(account && { [idOf[account.kind]]: account.account }),
  })
  const { send, busy, error } = useSend()
  const kept = account ? 'Kept as it is where it is left empty.' : undefined
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: (value: string) => setDraft((before) => ({ ...before, [name]: value })),
    autoComplete: 'off',
    spellCheck: false,
  })
  const id = { ...field(idOf[kind]), readOnly: account !== null, required: true }
  const secret = { type: 'password', autoComplete: 'new-password', hint: kept, required: account === null }
  const keep = async () => {
    if (!(await send('put', '/v1/carrier', bodyOf(kind, draft)))) return
    toast(account ? 'The account is changed' : 'The account is added')
    onDone()
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void keep()
      }}
    >
      {account ? null : (
        <Select
          label="Kind"
          value={kind}
          onChange={(value) => setKind(value as CarrierKind)}
          options={kinds.map((value) => ({ value, label: kindName(value) }))}
        />
      )}
      <TextField label="Name" {...field('label')} hint="What people call it." />
      {kind === 'apicarrier' ? (
        <>
          <TextField label="Account id" {...id} placeholder="AC…" />
          <TextField label="User" {...field('user')} hint="An API key id, or the account id again." />
          <TextField label="Secret" {...field('secret')} {...secret} />
        </>
      ) : null}
      {kind === 'sip' ? (
        <>
          <TextField label="User name" {...id} />
          <TextField label="Password" {...field('password')} {...secret} />
          <TextArea
            label="Its networks"
            {...field('addresses')}
            hint={
              kept ??
              'Public IPv4 addresses or networks no wider than a /24, one a line. The operator approves each.'
            }
          />
          <details>
            <summary>Calling out through it</summary>
            <div className="stack">
              <TextField label="Host" {...field('outbound_host')} hint="Host, or host:port." />
              <Select
                label="Transport"
                {...field('outbound_transport')}
                options={[{ value: '', label: account ? 'As it is' : 'udp where unsaid' }, ...transports]}
              />
              <TextField
                label="User name to dial with"
                {...field('outbound_username')}
                hint="The pair above where it is left empty."
              />
              <TextField
                label="Password to dial with"
                {...field('outbound_password')}
                type="password"
                autoComplete="new-password"
              />
            </div>
          </details>
        </>
      ) : null}
      {kind === 'msgapp' ? (
        <>
          <TextField
            label="Phone number id"
            {...id}
            inputMode="numeric"
            hint="As the platform’s console shows it."
          />
          <TextField label="Access token" {...field('access_token')} {...secret} />
        </>
      ) : null}
      <Refusal error={error} />
      <div className="row end">
        <Button type="submit" tone="primary" busy={busy}>
          {account ? 'Save' : 'Try and add'}
        </Button>
      </div>
    </form>
  )
}

const namesOf: Record<CarrierKind, readonly TextName[]> = {
  apicarrier: ['label', 'account_sid', 'user', 'secret'],
  sip: [
    'label',
    'username',
    'password',
    'outbound_host',
    'outbound_transport',
    'outbound_username',
    'outbound_password',
  ],
  msgapp: ['label', 'phone_number_id', 'access_token'],
}

/** What is left empty stays as it is. */
function bodyOf(kind: CarrierKind, draft: Draft): PutCarrier {
  const said = namesOf[kind].filter((name) => draft[name] !== '').map((name) => [name, draft[name].trim()])
  const addresses = linesOf(draft.addresses)
  return { kind, ...Object.fromEntries(said), ...(kind === 'sip' && addresses.length > 0 && { addresses }) }
}
