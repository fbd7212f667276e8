import type { Base, BaseList } from '@switchroom/contract/knowledge'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { bytesOf, counted } from '../ui/quantities.ts'
import { Table, type Column } from '../ui/table.tsx'
import { BaseForm } from './base-form.tsx'
import { AgentLinks, basePath } from './knowledge-labels.tsx'

const everyMs = 10_000

const columns: Column<Base>[] = [
  {
    title: 'Base',
    cell: ({ base, description }) => (
      <>
        <Link href={basePath(base)}>{base}</Link>
        {description === '' ? null : <div className="soft">{description}</div>}
      </>
    ),
  },
  { title: 'Documents', isNumeric: true, cell: ({ documents }) => documents.toLocaleString() },
  { title: 'Chunks', isNumeric: true, cell: ({ chunks }) => chunks.toLocaleString() },
  { title: 'Size', isNumeric: true, cell: ({ bytes }) => bytesOf(bytes) },
  { title: 'Used by', cell: ({ used_by }) => <AgentLinks agents={used_by} none="No agent" /> },
]

export function BasesList() {
  const { env } = useSession()
  const [, go] = useLocation()
  const list = useGet<BaseList>('/v1/bases', { everyMs })
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Knowledge"
      actions={
        <Button tone="primary" onClick={() => setCreating(true)}>
          Create base
        </Button>
      }
    >
      <p className="soft">Bases of documents that agents answer from. These are the bases in {env}.</p>
      <Loaded of={list} label="Loading bases">
        {({ bases }) => (
          <>
            <Table
              caption="Knowledge bases"
              rows={bases}
              rowKey={({ base }) => base}
              columns={columns}
              empty={
                <Empty title="No knowledge bases">
                  <p>Create one, upload documents, and choose it in the settings of an agent.</p>
                </Empty>
              }
            />
            {bases.length > 1 ? <Total bases={bases} /> : null}
          </>
        )}
      </Loaded>
      <Dialog title="Create base" open={isCreating} onClose={() => setCreating(false)}>
        <BaseForm
          base={null}
          onDone={({ base }) => {
            setCreating(false)
            go(basePath(base))
          }}
        />
      </Dialog>
    </Page>
  )
}

function Total({ bases }: { bases: readonly Base[] }) {
  const sum = (of: 'documents' | 'chunks' | 'bytes') => bases.reduce((total, base) => total + base[of], 0)
  return (
    <p className="soft">
      {counted(bases.length, 'base')}, {counted(sum('documents'), 'document')},{' '}
      {counted(sum('chunks'), 'chunk')}, {bytesOf(sum('bytes'))}
    </p>
  )
}
