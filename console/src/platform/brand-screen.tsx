import type { Brand } from '@switchroom/contract/discovery'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { discoveryKey } from '../who/brand.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function BrandScreen() {
  const brand = useGet<Brand>('/v1/ops/brand')
  return (
    <Page title="Brand">
      <Loaded of={brand}>{(current) => <BrandForm key={JSON.stringify(current)} current={current} />}</Loaded>
    </Page>
  )
}

/** An empty field restores the default. */
function BrandForm({ current }: { current: Brand }) {
  const [name, setName] = useState(current.name)
  const [logo, setLogo] = useState(current.logo_url ?? '')
  const [accent, setAccent] = useState(current.accent)
  const queries = useQueryClient()
  const { send, busy, error } = useSend()
  const named = ['accent', 'logo_url', 'name'].find((field) => error?.message.includes(field))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await send('put', '/v1/ops/brand', { name, logo_url: logo, accent }))) return
    await queries.invalidateQueries({ queryKey: discoveryKey })
    toast('Brand saved.')
  }
  const errorOf = (field: string) => (named === field ? error?.message : undefined)
  return (
    <Section title="Appearance" hint="Shown in the console, in emails and at sign-in.">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          hint="At most 60 characters. Leave empty for the default."
          value={name}
          onChange={setName}
          error={errorOf('name')}
        />
        <TextField
          label="Logo"
          hint="An https address of an image. Leave empty for none."
          type="url"
          value={logo}
          onChange={setLogo}
          error={errorOf('logo_url')}
        />
        <div className="row top-aligned">
          <TextField
            label="Accent color"
            hint="Format: #rrggbb."
            value={accent}
            onChange={setAccent}
            error={errorOf('accent')}
          />
          <TextField
            label="Pick a color"
            className="control colour"
            type="color"
            value={/^#[0-9a-f]{6}$/i.test(accent) ? accent : '#000000'}
            onChange={setAccent}
          />
        </div>
        {named === undefined ? <Refusal error={error} /> : null}
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save brand
          </Button>
        </div>
      </form>
    </Section>
  )
}
