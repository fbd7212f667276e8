import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { Availability, BroughtKeys, Catalogue, CatalogueEntry } from '@switchroom/contract/providers'
import { retirementOf } from '@switchroom/contract/retiring'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'

const stages = { llm: 'Model', stt: 'Speech-to-text', tts: 'Text-to-speech' }
const availabilityLabels: Record<Availability, { tone: 'good' | 'neutral' | 'bad' | 'warn'; text: string }> =
  {
    yours: { tone: 'good', text: 'Your key' },
    offered: { tone: 'good', text: 'Platform key' },
    'bring your own': { tone: 'warn', text: 'Needs your key' },
    broken: { tone: 'bad', text: 'Broken' },
  }

export default function ProviderKeysScreen() {
  const { env } = useSession()
  const catalogue = useGet<Catalogue>('/v1/providers')
  const ofEnvironment = useGet<BroughtKeys>(`/v1/provider-keys?env=${env}`)
  const isOfEnvironment = (vendor: string) => ofEnvironment.data?.vendors.includes(vendor) === true
  const [adding, setAdding] = useState<string | null>(null)
  const { send, busy, error } = useSend()
  const remove = async (vendor: string) => {
    const only = isOfEnvironment(vendor) ? `?env=${env}` : ''
    if (await send('delete', path`/v1/provider-keys/${vendor}` + only)) toast(`Key for ${vendor} deleted.`)
  }
  const columns = [
    { title: 'Vendor', cell: ({ name }: CatalogueEntry) => name },
    {
      title: 'Services',
      cell: ({ name, does, retiring = [] }: CatalogueEntry) => (
        <>
          {does.map((stage) => stages[stage]).join(', ')}
          {[...Map.groupBy(retiring, ({ on }) => on)].map(([on, models]) => (
            <div key={on} className="soft">
              {retirementOf({ vendor: name, model: models.map(({ model }) => model).join(', '), on })}
            </div>
          ))}
        </>
      ),
    },
    {
      title: 'Key',
      cell: ({ name, availability, broken }: CatalogueEntry) => (
        <>
          <Badge tone={availabilityLabels[availability].tone}>{availabilityLabels[availability].text}</Badge>
          {isOfEnvironment(name) ? <div className="soft">In {env} only.</div> : null}
          {broken ? <div className="soft">{broken}</div> : null}
        </>
      ),
    },
    {
      title: '',
      cell: ({ name, availability }: CatalogueEntry) => (
        <div className="row">
          <Button onClick={() => setAdding(name)}>
            {availability === 'yours' ? 'Replace key' : 'Add key'} <span className="sr-only">for {name}</span>
          </Button>
          {availability === 'yours' ? (
            <ConfirmButton
              busy={busy}
              confirmLabel={
                <>
                  Yes, delete <span className="sr-only">the key for {name}</span>
                </>
              }
              onConfirm={() => void remove(name)}
            >
              Delete <span className="sr-only">the key for {name}</span>
            </ConfirmButton>
          ) : null}
        </div>
      ),
    },
  ]
  return (
    <Page title="Provider keys">
      <p className="soft">
        Add your own key to run a vendor on it from the next call. Keys are encrypted and never shown again.
      </p>
      <Refusal error={error} />
      <Loaded of={catalogue}>
        {({ providers, defaults }) => (
          <>
            <Table
              caption="Vendors"
              rows={providers.filter(({ name }) => name !== endpointVendor)}
              rowKey={({ name }) => name}
              columns={columns}
              empty={<Empty title="No vendors installed" />}
            />
            <Section title="Platform defaults">
              <p>
                Model: <strong>{defaults.llm}</strong>, speech-to-text: <strong>{defaults.stt}</strong>,
                text-to-speech: <strong>{defaults.tts}</strong>.
              </p>
            </Section>
          </>
        )}
      </Loaded>
      <Dialog title={`Key for ${adding ?? ''}`} open={adding !== null} onClose={() => setAdding(null)}>
        {adding === null ? null : <AddKeyForm vendor={adding} onDone={() => setAdding(null)} />}
      </Dialog>
    </Page>
  )
}

function AddKeyForm({ vendor, onDone }: { vendor: string; onDone: () => void }) {
  const [key, setKey] = useState('')
  const [fields, setFields] = useState('')
  const [env, setEnv] = useState('')
  const { me } = useWho()
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const credentials = fields.trim() === '' ? { key } : { credentials: fieldsIn(fields) }
    const body = { ...credentials, ...(env !== '' && { env }), try: true }
    const kept = await send<BroughtKeys>('put', path`/v1/provider-keys/${vendor}`, body)
    if (!kept) return
    toast(kept.untried ? `${kept.untried}.` : `${vendor} accepted your key. Calls use it from now on.`)
    onDone()
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Key"
        type="password"
        autoComplete="off"
        autoFocus
        required={fields.trim() === ''}
        disabled={fields.trim() !== ''}
        value={key}
        onChange={setKey}
      />
      <Select
        label="Environment"
        hint="A key for one environment takes precedence over the key for both."
        value={env}
        onChange={setEnv}
        options={[
          { value: '', label: 'Both' },
          { value: 'sandbox', label: 'Sandbox only' },
          { value: 'production', label: 'Production only', disabled: me?.production !== true },
        ]}
      />
      <details>
        <summary>This vendor needs several fields</summary>
        <TextArea
          label="Fields"
          hint="One per line, as name=value."
          spellCheck={false}
          value={fields}
          onChange={setFields}
        />
      </details>
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save
        </Button>
      </div>
    </form>
  )
}

function fieldsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name.trim(), value.join('=').trim()]
    }),
  )
}
