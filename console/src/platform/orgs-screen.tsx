import type { CreatedOrg, OrgList } from '@switchroom/contract/orgs'
import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

export function OrgsScreen() {
  const orgs = useGet<OrgList>('/v1/ops/orgs')
  const [isMaking, setMaking] = useState(false)
  return (
    <Page
      title="Orgs"
      actions={
        <Button tone="primary" onClick={() => setMaking(true)}>
          Make an org
        </Button>
      }
    >
      <Answered of={orgs}>
        {({ orgs: all }) => (
          <Table
            caption="Orgs"
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Org',
                cell: ({ name, slug }) => <Link href={path`/platform/orgs/${slug}`}>{name}</Link>,
              },
              { title: 'Slug', cell: ({ slug }) => slug },
              { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            empty={
              <Empty title="No org yet">
                <p>Make the first one, then invite its admin.</p>
              </Empty>
            }
          />
        )}
      </Answered>
      <Dialog title="Make an org" open={isMaking} onClose={() => setMaking(false)}>
        <MakeOrg />
      </Dialog>
    </Page>
  )
}

function MakeOrg() {
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
        hint="Lower-case letters, digits and dashes: what people type for it."
        required
        autoFocus
        value={slug}
        onChange={setSlug}
      />
      <TextField label="Name" value={name} onChange={setName} />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Make it
        </Button>
      </div>
    </form>
  )
}
