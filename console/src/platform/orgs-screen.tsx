import type { CreatedOrg, OrgList } from '@switchroom/contract/orgs'
import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

export function OrgsScreen() {
  const orgs = useGet<OrgList>('/v1/ops/orgs')
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Organizations"
      actions={
        <Button tone="primary" onClick={() => setCreating(true)}>
          Create organization
        </Button>
      }
    >
      <Loaded of={orgs}>
        {({ orgs: all }) => (
          <Table
            caption="Organizations"
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Organization',
                cell: ({ name, slug }) => <Link href={path`/platform/orgs/${slug}`}>{name}</Link>,
              },
              { title: 'Slug', cell: ({ slug }) => slug },
              { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            empty={
              <Empty title="No organizations yet">
                <p>Create the first one, then invite its admin.</p>
              </Empty>
            }
          />
        )}
      </Loaded>
      <Dialog title="Create organization" open={isCreating} onClose={() => setCreating(false)}>
        <CreateOrg />
      </Dialog>
    </Page>
  )
}

function CreateOrg() {
  const [slug, setSlug] = useState('')
  const [name, setName] = useState('')
  const [, goTo] = useLocation()
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const made = await send<CreatedOrg>('post', '/v1/ops/orgs', { slug, ...(name && { name }) })
    if (made) goTo(path`/platform/orgs/${made.slug}`)
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Slug"
        hint="Lower-case letters, digits and dashes. Identifies the organization at sign-in."
        required
        autoFocus
        value={slug}
        onChange={setSlug}
      />
      <TextField label="Name" value={name} onChange={setName} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Create
        </Button>
      </div>
    </form>
  )
}
