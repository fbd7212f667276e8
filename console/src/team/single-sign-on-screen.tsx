import type { DomainProof, IdentityProvider } from '@switchroom/contract/sso'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Lamp } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { SureButton } from '../ui/confirm-button.tsx'
import { toast } from '../ui/toast.tsx'
import { roleOptions } from './roles.ts'

export default function SingleSignOnScreen() {
  const provider = useGet<IdentityProvider>('/v1/org/sso')
  return (
    <Page title="Single sign-on">
      <Answered of={provider}>
        {(standing) => (
          <>
            {standing.configured ? <Proofs proofs={standing.proofs} /> : null}
            <ProviderForm key={JSON.stringify({ ...standing, proofs: [] })} standing={standing} />
          </>
        )}
      </Answered>
    </Page>
  )
}

function Proofs({ proofs }: { proofs: DomainProof[] }) {
  return (
    <Section title="Domains" hint="People of a domain sign in with the provider once the domain is proven.">
      {proofs.map((proof) => (
        <Proof key={proof.domain} proof={proof} />
      ))}
    </Section>
  )
}

function Proof({ proof: { domain, txt, verified } }: { proof: DomainProof }) {
  const { send, busy, error } = useSend()
  const verify = async () => {
    if (await send('post', path`/v1/org/sso/domains/${domain}/verify`)) toast(`${domain} is proven.`)
  }
  return (
    <div className="stack">
      <Lamp
        state={verified ? 'ok' : 'waiting'}
        label={verified ? `${domain} is proven` : `${domain} waits for its proof`}
      />
      {verified ? null : (
        <>
          <p>Publish this as a TXT record at {domain}, then have it read:</p>
          <Copy label={`the record for ${domain}`} text={txt} />
          <Refusal error={error} />
          <div className="row">
            <Button busy={busy} onClick={() => void verify()}>
              Read the record of {domain} now
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

function ProviderForm({ standing }: { standing: IdentityProvider }) {
  const [issuer, setIssuer] = useState(standing.issuer ?? '')
  const [clientId, setClientId] = useState(standing.client_id ?? '')
  const [secret, setSecret] = useState('')
  const [domains, setDomains] = useState(standing.domains.join('\n'))
  const [role, setRole] = useState<string>(standing.role ?? '')
  const [required, setRequired] = useState(standing.required)
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
    if (await send('put', '/v1/org/sso', body)) toast('The provider answered, and is kept.')
  }
  const forget = async () => {
    if (await send('delete', '/v1/org/sso')) toast('Passwords sign in again.')
  }
  return (
    <Section title="Identity provider" hint="Any that speaks OpenID Connect.">
      <p>Register this address at the provider, as where it sends people back to:</p>
      <Copy label="the redirect address" text={standing.redirect_uri} />
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          <TextField
            label="Issuer"
            type="url"
            hint={standing.configured ? 'At another host, every domain has to be proven again.' : undefined}
            required
            value={issuer}
            onChange={setIssuer}
            placeholder="https://"
          />
          <TextField label="Client id" required value={clientId} onChange={setClientId} />
          <TextField
            label="Client secret"
            type="password"
            autoComplete="off"
            hint={standing.configured ? 'Empty keeps the stored one.' : undefined}
            required={!standing.configured}
            value={secret}
            onChange={setSecret}
          />
          <Select
            label="Seats newcomers as"
            value={role}
            onChange={setRole}
            options={[{ value: '', label: 'Only who is invited' }, ...roleOptions]}
          />
        </div>
        <TextArea
          label="Domains"
          hint="Of your people’s addresses, one a line."
          required
          value={domains}
          onChange={setDomains}
        />
        <Checkbox
          label="Nobody signs in with a password"
          hint="Needs one proven domain."
          checked={required}
          onChange={setRequired}
        />
        <Refusal error={error} />
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save
          </Button>
          {standing.configured ? (
            <SureButton busy={busy} sure="Yes, forget the provider" onSure={() => void forget()}>
              Forget the provider
            </SureButton>
          ) : null}
        </div>
      </form>
    </Section>
  )
}
