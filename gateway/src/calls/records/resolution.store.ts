import type { ProviderRow } from '@switchroom/contract/providers'
import type { Environment } from '@switchroom/contract/scopes'
import type { Config, Judging, Lexicon } from '@switchroom/contract/settings'
import type { Declaration } from '../../agents/stages/declaration.ts'
import type { SettingsScope } from '../../agents/scope.ts'
import { statement, type Queryable } from '../../database/database.ts'
import { liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'

/** What a scope of a call's chain ran, as the call record keeps it. */
export interface RanScope {
  holder: string
  /** Null if the scope supplied nothing. */
  version: number | null
  picked: boolean
}

/** A call that was resolved before. */
export interface KnownRecord {
  org: string
  agent: string
  env: Environment
  settings: RanScope[]
}

/** A scope of a call's chain, with every version of it that the call may run. */
export interface ScopeSource {
  holder: string
  canary: { version: number; share: number } | null
  /** The canary's version and the newest of the others; of a known call the one it runs. */
  rows: { version: number; content: Config }[]
}

export interface LexiconSource {
  holder: string
  version: number
  content: Lexicon
}

/** Everything that a call's settings are resolved from, in one snapshot. */
export interface ResolutionSources {
  record: KnownRecord | null
  is_agent_named: boolean
  /** Nearest first. */
  scopes: ScopeSource[]
  /** Of the nearest scope that has one. */
  lexicon: LexiconSource | null
  row: ProviderRow
  judging: Judging | null
  /** The vendors the org brought keys for, in both environments or in this one; one with both is there twice. */
  own: string[]
  declaration: Declaration | null
}

interface ReadRow extends Omit<ResolutionSources, 'declaration' | 'row'> {
  /** Null if it is the one that was read last. */
  row: ProviderRow | null
  row_version: string
  connected: { app: string; declaration: Omit<Declaration, 'app'> } | null
}

const inScope = `v.org = $1 and v.agent = $2 and v.env = $3 and v.holder = chain.holder`

/**
 * One statement: one round trip and one snapshot, so that no change falls between two of its parts. The chain is two
 * values and not an array, for which PostgreSQL would assume many rows and plan anew each time.
 */
export const resolutionRead = statement<ReadRow>(`
  with known as (
    select id, org, agent, env, holder, settings, lexicon_holder, lexicon_version from calls where id = $4::text
  ), chain as (
    select place, scope.holder, known.id is not null as is_known,
      (known.settings -> (place - 1) ->> 'version')::int as version,
      case when known.lexicon_holder = scope.holder then known.lexicon_version end as lexicon_version
    from (values (1), (2)) as places (place)
    left join known on true
    cross join lateral (
      select case when place = 1 then coalesce(known.holder, $5::text) else '' end as holder
    ) scope
    where place = 1 or coalesce(known.holder, $5::text) <> ''
  )
  select
    (select to_json(known) from known) as record,
    exists (select from agents where org = $1 and slug = $2) as is_agent_named,
    (
      select json_agg(json_build_object(
        'holder', chain.holder,
        'canary', case when canary.version is not null
          then json_build_object('version', canary.version, 'share', canary.share) end,
        'rows', array(
          (
            select json_build_object('version', v.version, 'content', v.content) from versions v
            where v.kind = 'settings' and ${inScope} and v.version = coalesce(chain.version, canary.version)
          )
          union all
          (
            select json_build_object('version', v.version, 'content', v.content) from versions v
            where v.kind = 'settings' and ${inScope} and v.version is distinct from canary.version
              and not chain.is_known
            order by v.version desc limit 1
          )
        )
      ) order by chain.place)
      from chain
      left join canaries canary on canary.org = $1 and canary.agent = $2 and canary.env = $3
        and canary.holder = chain.holder and not chain.is_known
    ) as scopes,
    (
      select json_build_object('holder', chain.holder, 'version', ran.version, 'content', ran.content)
      from chain
      cross join lateral (
        select v.version, v.content from versions v
        where v.kind = 'lexicon' and ${inScope} and (not chain.is_known or v.version = chain.lexicon_version)
        order by v.version desc limit 1
      ) ran
      order by chain.place limit 1
    ) as lexicon,
    platform.document as row,
    platform.version as row_version,
    (select to_json(j) from (select judge, judge_builds, judge_options from org_judging where org = $1) j) as judging,
    array(
      select vendor from provider_keys where org = $1
      union all select vendor from environment_provider_keys where org = $1 and env = $3
      union all select 'custom/' || name from model_endpoints where org = $1 and env = $3
    ) as own,
    (
      select json_build_object('app', r.app, 'declaration', r.declaration)
      from ${liveRegistrations('$6', '$7')}
      where r.org = $1 and r.agent = $2 and r.env = $3 and r.holder in (select chain.holder from chain)
      order by r.holder = '', r.ordinal desc limit 1
    ) as connected
  from (
    select xmin::text as version, case when xmin::text is distinct from $8 then document end as document
    from providers_row
  ) platform`)

/**
 * The platform's row as it was read last. It is thousands of characters, all of which every call needs, and hardly
 * ever changes: its text comes again only after it was written again.
 */
export interface LastRow {
  read?: { version: string; row: ProviderRow }
}

/** Many calls share it. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member) frozen(member)
  return Object.freeze(value)
}

/** A known call's recorded versions, for any caller; for a new call a person's scope and the team's, or the org's alone. */
export async function readForCall(
  database: Queryable,
  { org, agent, env, holder }: SettingsScope,
  call: string | null,
  { alive, lastRow }: { alive: LiveGateways; lastRow: LastRow },
): Promise<ResolutionSources> {
  const last = lastRow.read // another call may read a newer one meanwhile
  const values = [org, agent, env, call, holder, alive.own, alive.since, last?.version]
  const read = await database.row(resolutionRead, ...values)
  if (!read) throw new Error('the platform has no row')
  const { connected, row, row_version: version, ...sources } = read
  if (row) lastRow.read = { version, row: frozen(row) }
  const known = row ?? last?.row
  if (!known) throw new Error('the platform has no row')
  return {
    ...sources,
    row: known,
    declaration: connected && { app: connected.app, ...connected.declaration },
  }
}
