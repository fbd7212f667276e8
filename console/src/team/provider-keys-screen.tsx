import type { Availability, BroughtKeys, Catalogue, CatalogueEntry } from '@switchroom/contract/providers'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { SureButton } from '../ui/confirm-button.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'

const stages = { llm: 'model', stt: 'ears', tts: 'voice' }
const words: Record<Availability, { tone: 'good' | 'neutral' | 'bad' | 'warn'; text: string }> = {
  yours: { tone: 'good', text: 'on your key' },
  offered: { tone: 'good', text: 'on the platform’s key' },
  'bring your own': { tone: 'warn', text: 'needs your key' },
  broken: { tone: 'bad', text: 'broken' },
}

export default function ProviderKeysScreen() {
  const { env } = useSession()
  const catalogue = useGet<Catalogue>('/v1/providers')
  const ofEnvironment = useGet<BroughtKeys>(`/v1/provider-keys?env=${env}`)
  const isOfEnvironment = (vendor: string) => ofEnvironment.data?.vendors.includes(vendor) === true
  const [bringing, setBringing] = useState<string | null>(null)
  const { send, busy, error } = useSend()
  const giveBack = async (vendor: string) => {
    const only = isOfEnvironment(vendor) ? `?env=${env}` : ''
    if (await send('delete', path`/v1/provider-keys/${vendor}` + only))
      toast(`The key for ${vendor} is deleted.`)
  }
  const columns = [
    { title: 'Vendor', cell: ({ name }: CatalogueEntry) => name },
    { title: 'Does', cell: ({ does }: CatalogueEntry) => does.map((stage) => stages[stage]).join(', ') },
    {
      title: 'Runs',
      cell: ({ name, availability, broken }: CatalogueEntry) => (
        <>
          <Badge tone={words[availability].tone}>{words[availability].text}</Badge>
          {isOfEnvironment(name) ? <div className="soft">In {env} only.</div> : null}
          {broken ? <div className="soft">{broken}</div> : null}
        </>
      ),
    },
    {
      title: '',
      cell: ({ name, availability }: CatalogueEntry) => (
        <div className="row">
          <Button onClick={() => setBringing(name)}>
            {availability === 'yours' ? 'Replace the key' : 'Bring a key'}{' '}
            <span className="sr-only">for {name}</span>
          </Button>
          {availability === 'yours' ? (
            <SureButton
              busy={busy}
              sure={
                <>
                  Yes, forget <span className="sr-only">the key for {name}</span>
                </>
              }
              onSure={() => void giveBack(name)}
            >
              Forget <span className="sr-only">the key for {name}</span>
            </SureButton>
          ) : null}
        </div>
      ),
    },
  ]
  return (
    <Page title="Provider keys">
      <p className="soft">
        A vendor runs on a key of your org’s own where you bring one, from the next call on. Keys are sealed
        and never shown again.
      </p>
      <Refusal error={error} />
      <Answered of={catalogue}>
        {({ providers, defaults }) => (
          <>
            <Table
              caption="Vendors"
              rows={providers}
              rowKey={({ name }) => name}
              columns={columns}
              empty={<Empty title="No vendor is installed on this platform" />}
            />
            <Section title="What an agent runs on when nothing is set">
              <p>
                Model <strong>{defaults.llm}</strong>, ears <strong>{defaults.stt}</strong>, voice{' '}
                <strong>{defaults.tts}</strong>.
              </p>
            </Section>
          </>
        )}
      </Answered>
      <Dialog
        title={`A key for ${bringing ?? ''}`}
        open={bringing !== null}
        onClose={() => setBringing(null)}
      >
        {bringing === null ? null : <BringKeyForm vendor={bringing} onDone={() => setBringing(null)} />}
      </Dialog>
    </Page>
  )
}

function BringKeyForm({ vendor, onDone }: { vendor: string; onDone: () => void }) {
  const [key, setKey] = useState('')
  const [fields, setFields] = useState('')
  const [env, setEnv] = useState('')
  const { me } = useWho()
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const brought = fields.trim() === '' ? { key } : { credentials: fieldsIn(fields) }
    const body = env === '' ? brought : { ...brought, env }
    if (!(await send('put', path`/v1/provider-keys/${vendor}`, body))) return
    toast(`${vendor} runs on your key from the next call.`)
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
        hint="A key of one environment is used there instead of the key of both."
        value={env}
        onChange={setEnv}
        options={[
          { value: '', label: 'Both' },
          { value: 'sandbox', label: 'Sandbox only' },
          { value: 'production', label: 'Production only', disabled: me?.production !== true },
        ]}
      />
      <details>
        <summary>This vendor wants several fields</summary>
        <TextArea
          label="Fields"
          hint="One a line, as name=value."
          spellCheck={false}
          value={fields}
          onChange={setFields}
        />
      </details>
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Keep it
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
