import type { Brand } from '@switchroom/contract/discovery'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { discoveryKey } from '../who/brand.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function BrandScreen() {
  const brand = useGet<Brand>('/v1/ops/brand')
  return (
    <Page title="Brand">
      <Answered of={brand}>
        {(standing) => <BrandForm key={JSON.stringify(standing)} standing={standing} />}
      </Answered>
    </Page>
  )
}

/** A field left empty goes back to the platform's own. */
function BrandForm({ standing }: { standing: Brand }) {
  const [name, setName] = useState(standing.name)
  const [logo, setLogo] = useState(standing.logo_url ?? '')
  const [accent, setAccent] = useState(standing.accent)
  const queries = useQueryClient()
  const { send, busy, error } = useSend()
  const named = ['accent', 'logo_url', 'name'].find((field) => error?.message.includes(field))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await send('put', '/v1/ops/brand', { name, logo_url: logo, accent }))) return
    await queries.invalidateQueries({ queryKey: discoveryKey })
    toast('Everybody sees the new brand from now on.')
  }
  const errorOf = (field: string) => (named === field ? error?.message : undefined)
  return (
    <Section title="How the platform is called and looks" hint="In the console, in letters, and at sign-in.">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          hint="One line of at most 60 characters; empty for the platform’s own."
          value={name}
          onChange={setName}
          error={errorOf('name')}
        />
        <TextField
          label="Logo"
          hint="An https address of a picture; empty for none."
          type="url"
          value={logo}
          onChange={setLogo}
          error={errorOf('logo_url')}
        />
        <div className="row top-aligned">
          <TextField
            label="Accent colour"
            hint="As #rrggbb."
            value={accent}
            onChange={setAccent}
            error={errorOf('accent')}
          />
          <TextField
            label="Choose it"
            className="control colour"
            type="color"
            value={/^#[0-9a-f]{6}$/i.test(accent) ? accent : '#000000'}
            onChange={setAccent}
          />
        </div>
        {named === undefined ? <Refusal error={error} /> : null}
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save the brand
          </Button>
        </div>
      </form>
    </Section>
  )
}
