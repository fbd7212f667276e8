import type { CarrierAccount, CarrierKind, PutCarrier } from '@switchroom/contract/carriers'
import { trunkPresets, type TrunkPreset } from '@switchroom/contract/trunk-presets'
import { useState } from 'react'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { kindName, linesOf } from './number-labels.ts'
import { SipFields } from './sip-fields.tsx'
import { sipNames } from './sip-names.ts'

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
  phone_number_id: '',
  access_token: '',
  auth: '',
  register: '',
  outbound_host: '',
  outbound_transport: '',
  outbound_username: '',
  outbound_password: '',
  encryption: '',
  ca_certificates: '',
  client_certificate: '',
  client_key: '',
  dial_extensions: '',
  from_domain: '',
  refer_to: '',
  identity: '',
  number_form: '',
  country_code: '',
  trunk_prefix: '',
  international_prefix: '',
}

const proofs = { digest: 'username and password', ip: 'the network alone' }
const kinds: CarrierKind[] = ['apicarrier', 'sip', 'msgapp']
const idOf = { apicarrier: 'account_sid', sip: 'username', msgapp: 'phone_number_id' } as const

interface CarrierFormProps {
  /** The account to edit; null for a new one. */
  account: CarrierAccount | null
  onDone: () => void
}

/** The gateway tests an account before it saves it, and never returns a secret. */
export function CarrierForm({ account, onDone }: CarrierFormProps) {
  const [kind, setKind] = useState<CarrierKind>(account?.kind ?? 'apicarrier')
  const [draft, setDraft] = useState<Draft>({
    ...emptyDraft,
    label: account?.label ?? '',
    ...(account && { [idOf[account.kind]]: account.account }),
  })
  const { send, busy, error } = useSend()
  const kept = account ? 'Leave empty to keep the current value.' : undefined
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
    toast(account ? 'Account saved.' : 'Account added.')
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
          label="Type"
          value={kind}
          onChange={(value) => setKind(value as CarrierKind)}
          options={kinds.map((value) => ({ value, label: kindName(value) }))}
        />
      )}
      <TextField label="Name" {...field('label')} hint="A name for this account." />
      {kind === 'apicarrier' ? (
        <>
          <TextField label="Account SID" {...id} placeholder="AC…" />
          <TextField label="User" {...field('user')} hint="An API key SID, or the account SID." />
          <TextField label="Secret" {...field('secret')} {...secret} />
        </>
      ) : null}
      {kind === 'sip' ? (
        <>
          {account ? null : (
            <PresetSelect onChoice={(preset) => setDraft((before) => ({ ...before, ...draftOf(preset) }))} />
          )}
          <TextField label="Username" {...id} />
          <Select
            label="Inbound calls are proven by"
            {...field('auth')}
            options={[
              {
                value: '',
                label: `${account ? 'Current' : 'Default'}: ${proofs[account?.sip?.auth ?? 'digest']}`,
              },
              { value: 'digest', label: proofs.digest },
              { value: 'ip', label: proofs.ip },
            ]}
          />
          <TextField
            label="Password"
            {...field('password')}
            {...secret}
            required={account === null && draft.auth !== 'ip'}
          />
          <TextArea
            label="Networks"
            {...field('addresses')}
            hint={
              kept ??
              'Public IPv4 addresses or networks of at most a /24, one per line. The operator approves each one.'
            }
          />
          <SipFields now={account?.sip} drafted={(name) => draft[name]} field={field} />
        </>
      ) : null}
      {kind === 'msgapp' ? (
        <>
          <TextField
            label="Phone number ID"
            {...id}
            inputMode="numeric"
            hint="From the WhatsApp API settings."
          />
          <TextField label="Access token" {...field('access_token')} {...secret} />
        </>
      ) : null}
      <Refusal error={error} />
      <div className="row end">
        <Button type="submit" tone="primary" busy={busy}>
          {account ? 'Save' : 'Test and add'}
        </Button>
      </div>
    </form>
  )
}

function PresetSelect({ onChoice }: { onChoice: (preset: TrunkPreset) => void }) {
  const [name, setName] = useState('')
  const chosen = trunkPresets.find((preset) => preset.name === name)
  return (
    <Select
      label="Preset"
      value={name}
      onChange={(value) => {
        setName(value)
        const preset = trunkPresets.find((one) => one.name === value)
        if (preset) onChoice(preset)
      }}
      hint={chosen ? `Fill in: ${chosen.fill.join(', ')}. See ${chosen.guide}.` : undefined}
      options={[
        { value: '', label: 'None' },
        ...trunkPresets.map((preset) => ({ value: preset.name, label: preset.title })),
      ]}
    />
  )
}

/** Every field that presets may fill, so that another choice leaves nothing of the one before. */
const draftOf = ({ fields }: TrunkPreset): Partial<Draft> => ({
  auth: fields.auth ?? '',
  register: fields.register ? 'yes' : '',
  addresses: (fields.addresses ?? []).join('\n'),
  outbound_host: fields.outbound_host ?? '',
  outbound_transport: fields.outbound_transport ?? '',
  number_form: fields.number_form ?? '',
  encryption: fields.encryption ?? '',
})

/** Sent as something else than text. */
const shapedNames = new Set<TextName>(['register', 'dial_extensions'])

const namesOf: Record<CarrierKind, readonly TextName[]> = {
  apicarrier: ['label', 'account_sid', 'user', 'secret'],
  sip: ['label', 'username', 'password', ...sipNames.filter((name) => !shapedNames.has(name))],
  msgapp: ['label', 'phone_number_id', 'access_token'],
}

/** Empty fields are not sent, so they keep their value. */
function bodyOf(kind: CarrierKind, draft: Draft): PutCarrier {
  const said = namesOf[kind].filter((name) => draft[name] !== '').map((name) => [name, draft[name].trim()])
  const addresses = linesOf(draft.addresses)
  const extensions = linesOf(draft.dial_extensions)
  return {
    kind,
    ...Object.fromEntries(said),
    ...(kind === 'sip' && addresses.length > 0 && { addresses }),
    ...(kind === 'sip' && extensions.length > 0 && { dial_extensions: extensions }),
    ...(kind === 'sip' && draft.register !== '' && { register: draft.register === 'yes' }),
  }
}
