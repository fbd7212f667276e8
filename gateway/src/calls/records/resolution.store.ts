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
  holder: string
  settings: RanScope[]
  lexicon_holder: string | null
  lexicon_version: number | null
}

/** A scope of a call's chain, with every version of it that the call may run. */
export interface ScopeSource {
  holder: string
  canary: { version: number; share: number } | null
  /** The canary's version, the newest of the others, and of a known call the one it runs. */
  rows: { version: number; content: Config }[]
}

export interface LexiconSource {
  holder: string
  version: number
  content: Lexicon
}

/** What calls of a scope are resolved from, as it is until somebody changes the org's settings. */
export interface ScopeSettings {
  is_agent_named: boolean
  /** Nearest first. */
  scopes: ScopeSource[]
  /** Of the nearest scope that has one. */
  lexicon: LexiconSource | null
  judging: Judging | null
  /** The vendors the org brought keys for, in both environments or in this one; one with both is there twice. */
  own: string[]
}

/** What is another with every call, and whether what was read before still holds. */
export interface CallNow {
  /** Changes with the scope's settings. */
  epoch: number
  /** Changes with the platform's row. */
  row_version: string
  record: KnownRecord | null
  connected: { app: string; declaration: Omit<Declaration, 'app'> } | null
}

/** Everything, in one snapshot. */
export interface WholeRead extends CallNow {
  /** `ScopeSettings`, as JSON. */
  settings: string
  /** What a known call runs, if it has one. */
  recorded_lexicon: LexiconSource | null
  /** Null if it is the one that was read last. */
  row: ProviderRow | null
}

/** Whose call it is, and who asks. */
export interface ReadScope extends SettingsScope {
  call: string | null
  /** The versions that a call which is not known yet will run, if it is not to choose. */
  settings?: readonly RanScope[] | undefined
  alive: LiveGateways
}

const known = `
  select id, org, agent, env, holder, settings, lexicon_holder, lexicon_version from calls where id = $4::text`
const inScope = (v: string) =>
  `${v}.org = $1 and ${v}.agent = $2 and ${v}.env = $3 and ${v}.holder = chain.holder`
const epoch = `coalesce((select epoch from settings_epochs where org = $1), 0)`
const connected = `(
  select json_build_object('app', r.app, 'declaration', r.declaration)
  from ${liveRegistrations('$6', '$7')}
  where r.org = $1 and r.agent = $2 and r.env = $3
    and r.holder in ('', coalesce((select known.holder from known), $5::text))
  order by r.holder = '', r.ordinal desc limit 1
)`

const valuesOf = ({ org, agent, env, holder, call, alive }: ReadScope) =>
  [org, agent, env, call, holder, alive.own, alive.since] as const

const nowRead = statement<CallNow>(`
  with known as (${known})
  select ${epoch} as epoch, (select xmin::text from providers_row) as row_version,
    (select to_json(known) from known) as record, ${connected} as connected`)

export const readNow = async (database: Queryable, scope: ReadScope): Promise<CallNow> =>
  there(await database.row(nowRead, ...valuesOf(scope)))

/**
 * One statement: one round trip and one snapshot, so that no change falls between two of its parts. The chain is two
 * values and not an array, for which PostgreSQL would assume many rows and plan anew each time.
 */
const wholeRead = statement<WholeRead>(`
  with known as (${known}), chain as (
    select place, scope.holder,
      (coalesce(known.settings::json, $9::json) -> (place - 1) ->> 'version')::int as version,
      case when known.lexicon_holder = scope.holder then known.lexicon_version end as lexicon_version
    from (values (1), (2)) as places (place)
    left join known on true
    cross join lateral (
      select case when place = 1 then coalesce(known.holder, $5::text) else '' end as holder
    ) scope
    where place = 1 or coalesce(known.holder, $5::text) <> ''
  )
  select ${epoch} as epoch, platform.version as row_version, platform.document as row,
    (select to_json(known) from known) as record, ${connected} as connected,
    json_build_object(
      'is_agent_named', exists (select from agents where org = $1 and slug = $2),
      'scopes', (
        select json_agg(json_build_object(
          'holder', chain.holder,
          'canary', case when canary.version is not null
            then json_build_object('version', canary.version, 'share', canary.share) end,
          'rows', array(
            select json_build_object('version', v.version, 'content', v.content) from versions v
            where v.kind = 'settings' and ${inScope('v')} and v.version in (chain.version, canary.version, (
              select max(n.version) from versions n
              where n.kind = 'settings' and ${inScope('n')} and n.version is distinct from canary.version
            ))
          )
        ) order by chain.place)
        from chain
        left join canaries canary on canary.org = $1 and canary.agent = $2 and canary.env = $3
          and canary.holder = chain.holder
      ),
      'lexicon', (
        select json_build_object('holder', chain.holder, 'version', newest.version, 'content', newest.content)
        from chain
        cross join lateral (
          select v.version, v.content from versions v where v.kind = 'lexicon' and ${inScope('v')}
          order by v.version desc limit 1
        ) newest
        order by chain.place limit 1
      ),
      'judging', (
        select to_json(j) from (select judge, judge_builds, judge_options from org_judging where org = $1) j
      ),
      'own', array(
        select vendor from provider_keys where org = $1
        union all select vendor from environment_provider_keys where org = $1 and env = $3
        union all select 'custom/' || name from model_endpoints where org = $1 and env = $3
      )
    )::text as settings,
    (
      select json_build_object('holder', v.holder, 'version', v.version, 'content', v.content)
      from chain join versions v on v.kind = 'lexicon' and ${inScope('v')} and v.version = chain.lexicon_version
      order by chain.place limit 1
    ) as recorded_lexicon
  from (
    select xmin::text as version, case when xmin::text is distinct from $8 then document end as document
    from providers_row
  ) platform`)

/** @param rowVersion of the platform's row that the reader has */
export const readWhole = async (database: Queryable, scope: ReadScope, rowVersion: string | undefined) =>
  there(
    await database.row(
      wholeRead,
      ...valuesOf(scope),
      rowVersion,
      scope.settings && JSON.stringify(scope.settings),
    ),
  )

function there<Row>(row: Row | undefined): Row {
  if (!row) throw new Error('the platform has no row')
  return row
}
