import { roles } from '@switchroom/contract/scopes'
import type { DomainProof, IdentityProvider } from '@switchroom/contract/sso'
import type { Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { askSecret } from '../terminal/prompts.ts'

const at = '/v1/org/sso'

function show(invocation: Invocation, answer: IdentityProvider): void {
  const { out } = invocation
  invocation.answer(answer, ({ configured, issuer, client_id, role, required, redirect_uri, proofs }) => {
    if (!configured) out.note('No identity provider is set: members sign in with passwords.')
    out.fields({
      issuer,
      client: client_id,
      'default role': configured ? (role ?? 'invitation only') : null,
      'single sign-on required': configured ? required : null,
      'redirect address': redirect_uri,
    })
    if (proofs.length > 0) showProofs(invocation, proofs)
  })
}

const showProofs = (invocation: Invocation, proofs: readonly DomainProof[]) =>
  invocation.out.table(
    proofs,
    [
      { title: 'domain', isName: true, of: ({ domain }) => domain },
      { title: 'proven', of: ({ verified }) => verified },
      { title: 'txt record', isName: true, of: ({ txt }) => txt },
    ],
    '',
  )

const get: Command = {
  name: 'sign-on',
  summary: "show the org's identity provider and its verified domains",
  examples: ['svc sign-on', 'svc sign-on --json'],
  async run(invocation) {
    show(invocation, await (await invocation.client()).get<IdentityProvider>(at))
  },
}

const set: Command = {
  name: 'sign-on set',
  summary: "set the org's identity provider; its discovery is read first",
  details:
    'Options that are not given keep their value. svc prompts for the client secret, or reads it from standard\ninput, if the issuer or the client changes or with --new-secret.',
  options: [
    { name: 'issuer', value: 'url', summary: 'https address that serves OpenID Connect discovery' },
    { name: 'client-id', value: 'id', summary: 'client id at the provider' },
    { name: 'domain', value: 'name', isRepeated: true, summary: 'an email domain; replaces all domains' },
    {
      name: 'role',
      value: 'role',
      choices: [...roles, 'none'],
      summary: 'default role of new members; none: invitation only',
    },
    { name: 'required', value: 'yes|no', choices: ['yes', 'no'], summary: 'require single sign-on' },
    { name: 'new-secret', summary: 'replace the client secret' },
  ],
  examples: [
    'svc sign-on set --issuer https://login.example.com --client-id svc --domain example.com',
    'secrets read sso | svc sign-on set --new-secret',
    'svc sign-on set --required yes',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const now = await client.get<IdentityProvider>(at)
    const issuer = invocation.option('issuer') ?? now.issuer
    const client_id = invocation.option('client-id') ?? now.client_id
    if (issuer === null) throw wrongUsage('--issuer is missing')
    if (client_id === null) throw wrongUsage('--client-id is missing')
    const isOther = issuer !== now.issuer || client_id !== now.client_id
    const isAsked = isOther || invocation.flag('new-secret')
    const role = invocation.option('role')
    const required = invocation.option('required')
    const answer = await client.put<IdentityProvider>(at, {
      issuer,
      client_id,
      client_secret: isAsked ? await askSecret('Client secret: ') : undefined,
      domains: invocation.list('domain') ?? now.domains,
      role: role === undefined ? now.role : role === 'none' ? null : role,
      required: required === undefined ? now.required : required === 'yes',
    })
    show(invocation, answer)
  },
}

const verify: Command = {
  name: 'sign-on verify',
  summary: 'verify a domain by its TXT record now',
  arguments: [{ name: 'domain', summary: "one of the provider's domains" }],
  examples: ['svc sign-on verify example.com'],
  async run(invocation) {
    const client = await invocation.client()
    const proof = await client.post<DomainProof>(at + path`/domains/${invocation.argument('domain')}/verify`)
    invocation.answer(proof, ({ domain }) => invocation.out.line(`Verified ${domain}.`))
  },
}

const forget: Command = {
  name: 'sign-on forget',
  summary: 'delete the identity provider; members sign in with passwords',
  examples: ['svc sign-on forget'],
  async run(invocation) {
    await (await invocation.client()).delete(at)
    if (!invocation.isJson)
      invocation.out.line('Deleted the identity provider. Members sign in with passwords.')
  },
}

export const signOnCommands = [get, set, verify, forget]
