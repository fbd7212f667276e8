import type { MessageTemplate, TemplateList } from '@switchroom/contract/templates'
import type { Thread, WrittenToThread } from '@switchroom/contract/threads'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Loaded, Refusal } from '../ui/feedback.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { threadsOf } from './inbox-threads.ts'
import { titleOf } from './thread-labels.ts'

interface TemplateButtonProps {
  agent: string
  thread: Pick<Thread, 'contact' | 'name'>
}

/** Opens the templates that WhatsApp approved, which also reach a contact who last wrote more than 24 hours ago. */
export function TemplateButton({ agent, thread }: TemplateButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Use template</Button>
      <Dialog title={`Send a template to ${titleOf(thread)}`} open={isOpen} onClose={close}>
        {isOpen ? <Templates agent={agent} contact={thread.contact} onSent={close} /> : null}
      </Dialog>
    </>
  )
}

interface TemplatesProps {
  agent: string
  contact: string
  onSent: () => void
}

function Templates({ agent, contact, onSent }: TemplatesProps) {
  const query = new URLSearchParams({ contact }).toString()
  const list = useGet<TemplateList>(`${path`/v1/agents/${agent}/templates`}?${query}`)
  return (
    <Loaded of={list} label="Loading templates">
      {({ templates }) =>
        templates.length === 0 ? (
          <Empty title="No approved templates">
            <p>Create a message template in WhatsApp Manager. It is listed here once it is approved.</p>
          </Empty>
        ) : (
          <TemplateForm agent={agent} contact={contact} templates={templates} onSent={onSent} />
        )
      }
    </Loaded>
  )
}

const keyOf = ({ name, language }: MessageTemplate) => `${name} (${language})`

function TemplateForm({
  agent,
  contact,
  templates,
  onSent,
}: TemplatesProps & { templates: readonly MessageTemplate[] }) {
  const { send, busy, error } = useSend()
  const [key, setKey] = useState(() => (templates[0] ? keyOf(templates[0]) : ''))
  const [values, setValues] = useState<Record<string, string>>({})
  const template = templates.find((one) => keyOf(one) === key)
  if (!template) return null
  const { name, language, variables, unsupported } = template
  const filled = Object.fromEntries(variables.map((variable) => [variable.name, values[variable.name] ?? '']))
  const isWhole = Object.values(filled).every((value) => value.trim() !== '')
  const submit = async () => {
    const at = `${threadsOf(agent)}${path`/${contact}/templates`}`
    if (await send<WrittenToThread>('post', at, { name, language, variables: filled })) onSent()
  }
  return (
    <form
      className="template-form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Select label="Template" value={key} onChange={setKey} options={templates.map(keyOf)} />
      {variables.map((variable) => (
        <TextField
          key={`${key} ${variable.name}`}
          label={labelOf(variable.name)}
          value={values[variable.name] ?? ''}
          onChange={(value) => setValues((before) => ({ ...before, [variable.name]: value }))}
          placeholder={variable.example ?? undefined}
        />
      ))}
      <p className="template-preview" aria-label="Preview">
        {previewOf(template, filled)}
      </p>
      {unsupported === null ? null : <Refusal error={`This template cannot be sent: ${unsupported}.`} />}
      <Refusal error={error} />
      <div className="row end">
        <Button type="submit" tone="primary" busy={busy} disabled={!isWhole || unsupported !== null}>
          Send
        </Button>
      </div>
    </form>
  )
}

/** `1` is Variable 1, `header.link` Header: link, `button.2` Button 2. */
function labelOf(name: string): string {
  const [part = '', rest] = name.split('.')
  if (rest === undefined) return /^\d+$/.test(name) ? `Variable ${name}` : name
  return part === 'button' ? `Button ${rest}` : `Header: ${rest}`
}

/** As the contact reads it; what is not filled in yet stays as its placeholder. */
function previewOf({ header, body, footer }: MessageTemplate, filled: Record<string, string>): string {
  const fill = (text: string, prefix: string) =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => filled[`${prefix}${name}`]?.trim() || whole)
  return [header && fill(header, 'header.'), fill(body, ''), footer].filter(Boolean).join('\n\n')
}
