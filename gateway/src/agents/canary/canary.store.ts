import type { Canary } from '@switchroom/contract/settings'
import { statement, type Queryable } from '../../database/database.ts'
import type { SettingsScope } from '../scope.ts'

const columns = `holder, version, share, author, note, floor(extract(epoch from set_at))::bigint as set_at`
const inScope = `org = $1 and agent = $2 and env = $3 and holder = $4`
const keyOf = ({ org, agent, env, holder }: SettingsScope) => [org, agent, env, holder] as const

const standing = statement<Canary>(`select ${columns} from canaries where ${inScope}`)

export const findCanary = (database: Queryable, scope: SettingsScope) =>
  database.row(standing, ...keyOf(scope))

const replace = statement<Canary>(
  `insert into canaries (org, agent, env, holder, version, share, author, note, set_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (org, agent, env, holder) do update
   set version = excluded.version, share = excluded.share, author = excluded.author, note = excluded.note,
       set_at = excluded.set_at
   returning ${columns}`,
)

export const replaceCanary = (
  database: Queryable,
  scope: SettingsScope,
  canary: { version: number; share: number; author: string; note: string | null; set_at: Date },
) =>
  database.row(
    replace,
    ...keyOf(scope),
    canary.version,
    canary.share,
    canary.author,
    canary.note,
    canary.set_at,
  )

const remove = statement<{ version: number; share: number }>(
  `delete from canaries where ${inScope} returning version, share`,
)

export const deleteCanary = (database: Queryable, scope: SettingsScope) =>
  database.rows(remove, ...keyOf(scope))
