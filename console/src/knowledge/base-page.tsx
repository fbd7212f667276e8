import type { Base } from '@switchroom/contract/knowledge'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import '../ui/facts.css'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Page, Section } from '../ui/page.tsx'
import { bytesOf } from '../ui/quantities.ts'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { BaseForm } from './base-form.tsx'
import { Documents } from './documents.tsx'
import { AgentLinks, basePath } from './knowledge-labels.tsx'
import './knowledge.css'
import { MissedQueriesList } from './missed-queries.tsx'
import { SearchBox } from './search-box.tsx'

const everyMs = 5000

interface BasePageProps {
  name: string
  part: string
}

export function BasePage({ name, part }: BasePageProps) {
  const found = useGet<Base>(path`/v1/bases/${name}`, { everyMs })
  return (
    <Page title={name} actions={<ButtonLink href="/knowledge">All bases</ButtonLink>}>
      <Loaded of={found} label="Loading base">
        {(base) => <Shown base={base} part={part} />}
      </Loaded>
    </Page>
  )
}

function Shown({ base, part }: { base: Base; part: string }) {
  const tabs = [
    { href: basePath(base.base), label: 'Documents' },
    { href: basePath(base.base, 'search'), label: 'Search' },
    { href: basePath(base.base, 'missed'), label: 'Asked and not found' },
    { href: basePath(base.base, 'details'), label: 'Details' },
  ]
  return (
    <>
      {base.description === '' ? null : <p className="soft wrap-anywhere">{base.description}</p>}
      <Tabs label={base.base} tabs={tabs} current={basePath(base.base, part)} />
      {part === 'search' ? (
        <SearchBox base={base.base} />
      ) : part === 'missed' ? (
        <MissedQueriesList base={base.base} />
      ) : part === 'details' ? (
        <Details base={base} />
      ) : (
        <Documents base={base.base} />
      )}
    </>
  )
}

function Details({ base }: { base: Base }) {
  const { documents, chunks, bytes, language, embed, agents, used_by } = base
  const [isEditing, setEditing] = useState(false)
  const [, go] = useLocation()
  const { send, busy, error } = useSend()
  const remove = async () => {
    if (!(await send('delete', path`/v1/bases/${base.base}`))) return
    toast('Base deleted.')
    go('/knowledge')
  }
  return (
    <Section title="Details">
      <dl className="facts">
        <dt>Documents</dt>
        <dd>{documents.toLocaleString()}</dd>
        <dt>Chunks</dt>
        <dd>{chunks.toLocaleString()}</dd>
        <dt>Size</dt>
        <dd>{bytesOf(bytes)}</dd>
        <dt>Language</dt>
        <dd>{language ?? 'Found in each document'}</dd>
        <dt>Embeddings</dt>
        <dd>{embed ?? 'None: full text alone'}</dd>
        <dt>May be searched by</dt>
        <dd>{agents === null ? 'Every agent' : <AgentLinks agents={agents} none="No agent" />}</dd>
        <dt>Used by</dt>
        <dd>
          <AgentLinks agents={used_by} none="No agent. Choose it in the settings of one." />
        </dd>
      </dl>
      <Refusal error={error} />
      <div className="row">
        <Button onClick={() => setEditing(true)}>Edit base</Button>
        <ConfirmButton
          busy={busy}
          confirmLabel={documents > 0 ? 'Yes, delete it with its documents' : 'Yes, delete'}
          onConfirm={() => void remove()}
        >
          Delete base
        </ConfirmButton>
      </div>
      <Dialog title="Edit base" open={isEditing} onClose={() => setEditing(false)}>
        <BaseForm
          base={base}
          onDone={() => {
            setEditing(false)
            toast('Base saved.')
          }}
        />
      </Dialog>
    </Section>
  )
}
