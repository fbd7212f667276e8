import { useRef, useState, type DragEvent } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { useUploads, type Upload } from './uploads.ts'

/** Of the formats that are read. */
const accepted = '.md,.markdown,.txt,.html,.htm,.pdf,.docx,.csv'

/** Takes files by drag and drop or from a dialog, and shows how far each is. */
export function UploadArea({ base }: { base: string }) {
  const { uploads, add, clear } = useUploads(base)
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add(event.dataTransfer.files)
  }
  const over = uploads.filter(({ state }) => state === 'done' || state === 'failed').length
  return (
    <>
      {/* Dropping is for the mouse; the button does the same with the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="group"
        aria-label="Upload documents"
        className={`upload-area ${isOver ? 'is-over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>Drop files here: Markdown, text, HTML, PDF, DOCX or CSV.</p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept={accepted}
          aria-label="Files"
          onChange={({ currentTarget }) => {
            add(currentTarget.files ?? [])
            currentTarget.value = ''
          }}
        />
        <Button tone="primary" onClick={() => input.current?.click()}>
          Choose files
        </Button>
      </div>
      {uploads.length > 0 ? (
        <div className="stack">
          <ul className="uploads" aria-label="Uploads">
            {uploads.map((each) => (
              <UploadRow key={each.id} upload={each} />
            ))}
          </ul>
          <p className="sr-only" role="status">
            {over} of {uploads.length} uploads finished
          </p>
          {over > 0 ? (
            <div>
              <Button onClick={clear}>Clear finished</Button>
            </div>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function UploadRow({ upload: { name, sent, state, why } }: { upload: Upload }) {
  return (
    <li>
      <span className="wrap-anywhere">{name}</span>
      {state === 'waiting' || state === 'sending' ? (
        <progress aria-label={`Upload of ${name}`} value={sent} max={1} />
      ) : (
        <Badge tone={state === 'done' ? 'good' : 'bad'}>
          {state === 'done' ? 'Uploaded' : 'Not uploaded'}
        </Badge>
      )}
      {why === null ? null : <p className="field-error">{why}</p>}
    </li>
  )
}
