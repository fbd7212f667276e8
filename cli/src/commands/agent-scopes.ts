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

/** Who runs on the scope that was written, and how to write another. */
export function aboutScope(invocation: Invocation, scope: ScopeName): string {
  if (scope === 'production')
    return 'This is the scope of production, which every call there runs on. For the sandbox add --env sandbox.'
  if (scope === 'yours')
    return 'This is your draft, which your own calls in the sandbox run on. For the team add --team, for production --env production.'
  const own = invocation.flag('team') ? 'For your draft leave out --team' : 'A server token has no draft'
  return `This is the team's scope, which calls in the sandbox run on unless a draft is over it. ${own}; for production add --env production.`
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
