import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { refetchOptions } from './knowledge-labels.tsx'

interface AddProps {
  base: string
  onDone: () => void
}

export function AddText({ base, onDone }: AddProps) {
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await send('post', path`/v1/bases/${base}/documents`, { name: name.trim(), text })) onDone()
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Name"
        hint="Its ending says its format: prices.md is Markdown, prices.csv a table."
        autoFocus
        required
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <TextArea label="Text" required rows={10} value={text} onChange={setText} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Add text
        </Button>
      </div>
    </form>
  )
}

export function AddAddress({ base, onDone }: AddProps) {
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [refetchS, setRefetchS] = useState('')
  const [header, setHeader] = useState('')
  const [secret, setSecret] = useState('')
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      url: url.trim(),
      ...(name.trim() && { name: name.trim() }),
      ...(header.trim() && { headers: { [header.trim()]: secret } }),
      refetch_s: refetchS === '' ? null : Number(refetchS),
    }
    if (await send('post', path`/v1/bases/${base}/documents`, body)) onDone()
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Address"
        hint="A public page or file, over https."
        inputMode="url"
        autoFocus
        required
        value={url}
        onChange={setUrl}
      />
      <TextField
        label="Name"
        hint="Empty: taken from the address."
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <Select label="Fetch again" value={refetchS} onChange={setRefetchS} options={refetchOptions} />
      <div className="fields">
        <TextField
          label="Header"
          hint="Sent when it is fetched, such as authorization. Optional."
          value={header}
          onChange={setHeader}
        />
        <TextField
          label="Value of the header"
          hint="Kept encrypted and never shown."
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
        />
      </div>
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Add address
        </Button>
      </div>
    </form>
  )
}
