import type { KnowledgeDocument } from '@switchroom/contract/knowledge'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { upload } from '../api/upload.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Field, Select, TextArea, TextField } from '../ui/field.tsx'
import { refetchOptions } from './knowledge-labels.tsx'

interface ReplaceProps {
  base: string
  document: KnowledgeDocument
  onDone: () => void
}

/** New content under the same name: of the kind that it came in by. */
export function ReplaceDocument(props: ReplaceProps) {
  if (props.document.source === 'upload') return <ReplaceFile {...props} />
  return <ReplaceContent {...props} />
}

const addressOf = ({ base, document }: ReplaceProps) => path`/v1/bases/${base}/documents/${document.id}`

function ReplaceFile(props: ReplaceProps) {
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [sent, setSent] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [gone] = useState(() => new AbortController())
  useEffect(() => () => gone.abort(), [gone])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!file) return
    setError(null)
    setSent(0)
    try {
      await upload(addressOf(props), file, { method: 'PUT', signal: gone.signal, onProgress: setSent })
      void queries.invalidateQueries()
      props.onDone()
    } catch (refused) {
      if (!gone.signal.aborted) setError(refused instanceof Error ? refused : new Error(String(refused)))
    } finally {
      setSent(null)
    }
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field label="File" hint="Searches find the old content until the new one is read.">
        <input
          type="file"
          className="control"
          required
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
        />
      </Field>
      {sent === null ? null : <progress aria-label="Upload" value={sent} max={1} />}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={sent !== null}>
          Replace
        </Button>
      </div>
    </form>
  )
}

function ReplaceContent(props: ReplaceProps) {
  const { document, onDone } = props
  const isUrl = document.source === 'url'
  const [text, setText] = useState('')
  const [url, setUrl] = useState(document.url ?? '')
  const [refetchS, setRefetchS] = useState(String(document.refetch_s ?? ''))
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = isUrl ? { url: url.trim(), refetch_s: refetchS === '' ? null : Number(refetchS) } : { text }
    if (await send('put', addressOf(props), body)) onDone()
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {isUrl ? (
        <>
          <TextField
            label="Address"
            hint="Headers that it was fetched with are needed again: add it anew if it has some."
            inputMode="url"
            required
            value={url}
            onChange={setUrl}
          />
          <Select label="Fetch again" value={refetchS} onChange={setRefetchS} options={refetchOptions} />
        </>
      ) : (
        <TextArea
          label="Text"
          hint="Searches find the old text until the new one is read."
          required
          rows={10}
          value={text}
          onChange={setText}
        />
      )}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Replace
        </Button>
      </div>
    </form>
  )
}
