import type { DomainProof, IdentityProvider } from '@switchroom/contract/sso'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { toast } from '../ui/toast.tsx'
import { roleOptions } from './roles.ts'

export default function SingleSignOnScreen() {
  const provider = useGet<IdentityProvider>('/v1/org/sso')
  return (
    <Page title="Single sign-on">
      <Loaded of={provider}>
        {(current) => (
          <>
            {current.configured ? <Proofs proofs={current.proofs} /> : null}
            <ProviderForm key={JSON.stringify({ ...current, proofs: [] })} current={current} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Proofs({ proofs }: { proofs: DomainProof[] }) {
  return (
    <Section title="Domains" hint="People with an address in a verified domain sign in with the provider.">
      {proofs.map((proof) => (
        <Proof key={proof.domain} proof={proof} />
      ))}
    </Section>
  )
}

function Proof({ proof: { domain, txt, verified } }: { proof: DomainProof }) {
  const { send, busy, error } = useSend()
  const verify = async () => {
    if (await send('post', path`/v1/org/sso/domains/${domain}/verify`)) toast(`${domain} verified.`)
  }
  return (
    <div className="stack">
      <StatusLight
        state={verified ? 'ok' : 'waiting'}
        label={verified ? `${domain} is verified` : `${domain} is not verified yet`}
      />
      {verified ? null : (
        <>
          <p>Publish this TXT record for {domain}, then verify it:</p>
          <Copy label={`record for ${domain}`} text={txt} />
          <Refusal error={error} />
          <div className="row">
            <Button busy={busy} onClick={() => void verify()}>
              Verify {domain}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

function ProviderForm({ current }: { current: IdentityProvider }) {
  const [issuer, setIssuer] = useState(current.issuer ?? '')
  const [clientId, setClientId] = useState(current.client_id ?? '')
  const [secret, setSecret] = useState('')
  const [domains, setDomains] = useState(current.domains.join('\n'))
  const [role, setRole] = useState<string>(current.role ?? '')
  const [required, setRequired] = useState(current.required)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      issuer,
      client_id: clientId,
      ...(secret && { client_secret: secret }),
      domains: domains.split(/[\s,]+/).filter(Boolean),
      role: role === '' ? null : role,
      required,
    }
    if (await send('put', '/v1/org/sso', body)) toast('Provider tested and saved.')
  }
  const remove = async () => {
    if (await send('delete', '/v1/org/sso')) toast('Provider deleted. Password sign-in works again.')
  }
  return (
    <Section title="Identity provider" hint="Any OpenID Connect provider.">
      <p>Register this redirect address at the provider:</p>
      <Copy label="redirect address" text={current.redirect_uri} />
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          <TextField
            label="Issuer"
            type="url"
            hint={
              current.configured ? 'With another host, every domain has to be verified again.' : undefined
            }
            required
            value={issuer}
            onChange={setIssuer}
            placeholder="https://"
          />
          <TextField label="Client ID" required value={clientId} onChange={setClientId} />
          <TextField
            label="Client secret"
            type="password"
            autoComplete="off"
            hint={current.configured ? 'Leave empty to keep the current one.' : undefined}
            required={!current.configured}
            value={secret}
            onChange={setSecret}
          />
          <Select
            label="Default role"
            value={role}
            onChange={setRole}
            options={[{ value: '', label: 'None (invited only)' }, ...roleOptions]}
          />
        </div>
        <TextArea
          label="Domains"
          hint="Email domains of your organization, one per line."
          required
          value={domains}
          onChange={setDomains}
        />
        <Checkbox
          label="Require single sign-on"
          hint="Turns off password sign-in. Needs a verified domain."
          checked={required}
          onChange={setRequired}
        />
        <Refusal error={error} />
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save
          </Button>
          {current.configured ? (
            <ConfirmButton
              busy={busy}
              confirmLabel="Yes, delete the provider"
              onConfirm={() => void remove()}
            >
              Delete provider
            </ConfirmButton>
          ) : null}
        </div>
      </form>
    </Section>
  )
}
