import type { DocumentList, KnowledgeDocument } from '@switchroom/contract/knowledge'
import { useState } from 'react'
import { open, path } from '../api/client.ts'
import { usePages } from '../api/pages.ts'
import { useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { bytesOf } from '../ui/quantities.ts'
import { saveFile } from '../ui/save-file.ts'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { AddAddress, AddText } from './add-document.tsx'
import { DocumentStateBadge, isSettled, refetchName } from './knowledge-labels.tsx'
import { ReplaceDocument } from './replace-document.tsx'
import { UploadArea } from './upload-area.tsx'

/** While a document is read, and otherwise. */
const [readingMs, settledMs] = [1500, 15_000]

/** The documents of a base, which say by themselves how far they are. */
export function Documents({ base }: { base: string }) {
  const [everyMs, setEveryMs] = useState(settledMs)
  const pages = usePages<DocumentList, KnowledgeDocument>(path`/v1/bases/${base}/documents`, {
    itemsOf: ({ documents }) => documents,
    keyOf: ({ id }) => id,
    everyMs,
    growsAtEnd: true,
  })
  const wantedMs = pages.items.every(({ state }) => isSettled(state)) ? settledMs : readingMs
  if (wantedMs !== everyMs) setEveryMs(wantedMs)
  const [adding, setAdding] = useState<'text' | 'address' | null>(null)
  const [replacing, setReplacing] = useState<KnowledgeDocument | null>(null)
  const { send, busy, error } = useSend()
  const [failed, setFailed] = useState<Error | null>(null)
  const addressOf = ({ id }: KnowledgeDocument) => path`/v1/bases/${base}/documents/${id}`
  const remove = async (document: KnowledgeDocument) => {
    if (await send('delete', addressOf(document))) toast('Document deleted.')
  }
  const refetch = async (document: KnowledgeDocument) => {
    if (await send('post', `${addressOf(document)}/refetch`)) toast('Fetched again in a moment.')
  }
  const download = async (document: KnowledgeDocument) => {
    setFailed(null)
    try {
      const answer = await open('get', `${addressOf(document)}/content`)
      saveFile(await answer.blob(), document.name.split('/').at(-1) ?? document.name)
    } catch (refused) {
      setFailed(refused instanceof Error ? refused : new Error(String(refused)))
    }
  }
  const columns: Column<KnowledgeDocument>[] = [
    { title: 'Document', cell: (document) => <NameAndSource document={document} /> },
    {
      title: 'State',
      cell: ({ state, why }) => (
        <>
          <DocumentStateBadge state={state} />
          {why === null ? null : <div className="soft wrap-anywhere">{why}</div>}
        </>
      ),
    },
    { title: 'Chunks', isNumeric: true, cell: ({ chunks }) => chunks.toLocaleString() },
    { title: 'Size', isNumeric: true, cell: ({ bytes }) => bytesOf(bytes) },
    { title: 'Changed', cell: ({ changed_at }) => <Time at={changed_at} /> },
    {
      title: '',
      cell: (document) => (
        <div className="row">
          <Button onClick={() => void download(document)}>
            Download <span className="sr-only">{document.name}</span>
          </Button>
          {document.source === 'url' ? (
            <Button busy={busy} onClick={() => void refetch(document)}>
              Fetch again <span className="sr-only">{document.name}</span>
            </Button>
          ) : null}
          <Button onClick={() => setReplacing(document)}>
            Replace <span className="sr-only">{document.name}</span>
          </Button>
          <ConfirmButton busy={busy} confirmLabel="Yes, delete" onConfirm={() => void remove(document)}>
            Delete <span className="sr-only">{document.name}</span>
          </ConfirmButton>
        </div>
      ),
    },
  ]
  return (
    <>
      <UploadArea base={base} />
      <div className="row">
        <Button onClick={() => setAdding('text')}>Add text</Button>
        <Button onClick={() => setAdding('address')}>Add address</Button>
      </div>
      <Refusal error={error ?? failed} />
      <PagedTable
        caption="Documents"
        label="Loading documents"
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No documents">
            <p>Upload files, add a text, or add the address of a page.</p>
          </Empty>
        }
      />
      <Dialog title="Add text" open={adding === 'text'} onClose={() => setAdding(null)}>
        <AddText base={base} onDone={() => setAdding(null)} />
      </Dialog>
      <Dialog title="Add address" open={adding === 'address'} onClose={() => setAdding(null)}>
        <AddAddress base={base} onDone={() => setAdding(null)} />
      </Dialog>
      <Dialog
        title={`Replace ${replacing?.name ?? ''}`}
        open={replacing !== null}
        onClose={() => setReplacing(null)}
      >
        {replacing ? (
          <ReplaceDocument
            base={base}
            document={replacing}
            onDone={() => {
              setReplacing(null)
              toast('Replaced. The new content is read now.')
            }}
          />
        ) : null}
      </Dialog>
    </>
  )
}

function NameAndSource({ document: { name, url, refetch_s, fetched_at } }: { document: KnowledgeDocument }) {
  return (
    <>
      <span className="wrap-anywhere">{name}</span>
      {url === null ? null : (
        <div className="soft wrap-anywhere">
          {url}, fetched {refetchName(refetch_s)}
          {fetched_at === null ? null : (
            <>
              , last <Time at={fetched_at} />
            </>
          )}
        </div>
      )}
    </>
  )
}
