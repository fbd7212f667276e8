import type { Identity } from '@switchroom/contract/identity'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

/** The three scopes of an agent's settings and lexicon, as the API names them. */
export const scopeNames = ['yours', 'team', 'production'] as const
export type ScopeName = (typeof scopeNames)[number]

/** The scope of a change: production, or in the sandbox the team's or a person's own. */
export async function scopeAsked(invocation: Invocation, client: GatewayClient): Promise<ScopeName> {
  const { env, subject } = await client.get<Identity>('/v1/whoami')
  if (env === 'production') return 'production'
  return invocation.flag('team') || subject === '' ? 'team' : 'yours'
}

/** As bodies and queries name the team's scope. */
export const teamOf = (invocation: Invocation) => (invocation.flag('team') ? true : undefined)

interface Version {
  version: number
  set_at: number
  author: string
  note: string | null
}

/** What every version of either says of itself. */
export const versionColumns = (out: Output): Column<Version>[] => [
  { title: 'version', of: ({ version }) => `v${version}` },
  { title: 'set', of: ({ set_at }) => out.time(set_at) },
  { title: 'by', of: ({ author }) => author },
  { title: 'note', of: ({ note }) => note },
]
