import { serverTokenScopes } from '@switchroom/contract/scopes'
import type { KeyList, RevokedKey, ServerToken } from '@switchroom/contract/keys'
import type { Command, Option } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'

const list: Command = {
  name: 'keys',
  summary: 'keys of the org that you may see, without their secrets',
  options: [{ name: 'all', summary: 'also show revoked keys' }],
  examples: ['svc keys', 'svc keys --all --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<KeyList>('/v1/keys')
    invocation.answer(answer, ({ keys }) =>
      out.table(
        keys.filter(({ revoked_at }) => revoked_at === null || invocation.flag('all')),
        [
          { title: 'fingerprint', isName: true, of: ({ fingerprint }) => fingerprint },
          { title: 'label', of: ({ label }) => label },
          { title: 'kind', of: ({ kind }) => kind },
          { title: 'environment', of: ({ env }) => env },
          { title: 'of', of: ({ name, created_by }) => name ?? created_by },
          { title: 'used', of: ({ last_used_at }) => out.time(last_used_at) },
          {
            title: 'ends',
            of: ({ revoked_at, expires_at }) => (revoked_at === null ? out.time(expires_at) : 'revoked'),
          },
          { title: 'scopes', of: ({ scopes }) => scopes.join(' ') },
        ],
        'No keys.',
      ),
    )
  },
}

export const tokenOptions = (choices: readonly string[]): Option[] => [
  {
    name: 'scope',
    value: 'scope',
    choices,
    isRepeated: true,
    summary: 'a scope of the token (default: the usual ones)',
  },
  {
    name: 'expires',
    value: 'time',
    summary: 'when it expires, such as 2027-01-31T00:00:00Z (default: never)',
  },
]

const create: Command = {
  name: 'keys create',
  summary: 'create a server token in the environment of --env',
  details:
    'The token is printed once, and is the only thing on standard output: redirect it to a file or a secret\nstore. It cannot be shown again.',
  arguments: [{ name: 'label', summary: 'what it is for' }],
  options: tokenOptions(serverTokenScopes),
  examples: [
    'svc keys create ci --scope app --scope talk > ci.key',
    'svc keys create desk --env production | secrets write desk',
  ],
  async run(invocation) {
    const client = await invocation.client()
    tellToken(invocation, await client.post<ServerToken>('/v1/keys', tokenAsked(invocation)))
  },
}

export const tokenAsked = (invocation: Invocation) => ({
  label: invocation.argument('label'),
  env: invocation.account.env ?? 'sandbox',
  scopes: invocation.list('scope'),
  expires_at: invocation.option('expires'),
})

export function tellToken(invocation: Invocation, answer: ServerToken): void {
  const { out } = invocation
  invocation.answer(answer, ({ key, fingerprint, env, scopes, label }) => {
    out.note(`${label} (${fingerprint}) has the scopes ${scopes.join(', ')} in the ${env} environment.`)
    out.note('This is its key. It cannot be shown again:')
    out.line(key)
  })
}

const revoke: Command = {
  name: 'keys revoke',
  summary: 'revoke a key',
  arguments: [{ name: 'fingerprint', summary: 'as svc keys lists it' }],
  examples: ['svc keys revoke key_0123456789abcdef'],
  async run(invocation) {
    const client = await invocation.client()
    const at = path`/v1/keys/${invocation.argument('fingerprint')}/revoke`
    const answer = await client.post<RevokedKey>(at)
    invocation.answer(answer, ({ fingerprint }) => invocation.out.line(`Revoked ${fingerprint}.`))
  },
}

export const keyCommands = [list, create, revoke]
