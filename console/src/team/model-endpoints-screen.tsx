import type { EndpointList, ModelEndpoint, TriedEndpoint } from '@switchroom/contract/model-endpoints'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Loaded, Refusal } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ModelEndpointForm } from './model-endpoint-form.tsx'

const wires = { chat: 'Chat completions', responses: 'Responses' }

export default function ModelEndpointsScreen() {
  const { env } = useSession()
  const list = useGet<EndpointList>('/v1/model-endpoints')
  const [editing, setEditing] = useState<ModelEndpoint | 'new' | null>(null)
  const { send, busy, error } = useSend()
  const tryAgain = async ({ name }: ModelEndpoint) => {
    const tried = await send<TriedEndpoint>('post', path`/v1/model-endpoints/${name}/try`)
    if (tried) toast(`${tried.llm} answered after ${tried.first_word_ms} ms.`)
  }
  const remove = async ({ name, llm }: ModelEndpoint) => {
    if (await send('delete', path`/v1/model-endpoints/${name}`)) toast(`${llm} deleted.`)
  }
  const columns = [
    {
      title: 'Name',
      cell: ({ llm, model }: ModelEndpoint) => (
        <>
          {llm}
          <div className="soft">{model}</div>
        </>
      ),
    },
    {
      title: 'Base URL',
      cell: ({ base_url, azure_api_version, keyed }: ModelEndpoint) => (
        <>
          {base_url}
          {azure_api_version === null ? null : <div className="soft">Azure, {azure_api_version}</div>}
          {keyed ? null : <div className="soft">Without a key</div>}
        </>
      ),
    },
    { title: 'API', cell: ({ wire }: ModelEndpoint) => wires[wire] },
    { title: 'Last tried', cell: ({ tried_at }: ModelEndpoint) => <Time at={tried_at} /> },
    {
      title: '',
      cell: (endpoint: ModelEndpoint) => (
        <div className="row">
          <Button busy={busy} onClick={() => void tryAgain(endpoint)}>
            Try <span className="sr-only">{endpoint.name}</span>
          </Button>
          <Button onClick={() => setEditing(endpoint)}>
            Edit <span className="sr-only">{endpoint.name}</span>
          </Button>
          <ConfirmButton
            busy={busy}
            confirmLabel={
              <>
                Yes, delete <span className="sr-only">{endpoint.name}</span>
              </>
            }
            onConfirm={() => void remove(endpoint)}
          >
            Delete <span className="sr-only">{endpoint.name}</span>
          </ConfirmButton>
        </div>
      ),
    },
  ]
  return (
    <Page
      title="Model endpoints"
      actions={
        <Button tone="primary" onClick={() => setEditing('new')}>
          Add endpoint
        </Button>
      }
    >
      <p className="soft">
        Run agents on models of your own: any OpenAI-compatible address, or an Azure OpenAI deployment. Set
        custom/name as an agent’s model. These are the endpoints in {env}.
      </p>
      <Refusal error={error} />
      <Loaded of={list}>
        {({ endpoints }) => (
          <Table
            caption="Model endpoints"
            rows={endpoints}
            rowKey={({ name }) => name}
            columns={columns}
            empty={<Empty title="No model endpoints" />}
          />
        )}
      </Loaded>
      <Dialog
        title={editing === 'new' ? 'Add endpoint' : `Edit ${editing?.name ?? ''}`}
        open={editing !== null}
        onClose={() => setEditing(null)}
      >
        {editing === null ? null : (
          <ModelEndpointForm endpoint={editing === 'new' ? null : editing} onDone={() => setEditing(null)} />
        )}
      </Dialog>
    </Page>
  )
}
