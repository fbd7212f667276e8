import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { SettingsScope } from '../scope.ts'

export type Kind = 'settings' | 'lexicon'

export interface VersionRow<Content> {
  holder: string
  version: number
  author: string
  note: string | null
  /** Epoch seconds. */
  set_at: number
  content: Content
}

const columns = `holder, version, author, note, floor(extract(epoch from set_at))::bigint as set_at, content`
const inScope = `kind = $1 and org = $2 and agent = $3 and env = $4 and holder = $5`
const keyOf = (kind: Kind, { org, agent, env, holder }: SettingsScope) =>
  [kind, org, agent, env, holder] as const

const newest = statement<VersionRow<never>>(
  `select ${columns} from versions where ${inScope} order by version desc limit $6`,
)

export const newestVersions = <Content>(
  database: Queryable,
  kind: Kind,
  scope: SettingsScope,
  limit: number,
) => database.rows(newest, ...keyOf(kind, scope), limit) as Promise<VersionRow<Content>[]>

const one = statement<VersionRow<never>>(`select ${columns} from versions where ${inScope} and version = $6`)

export const findVersion = <Content>(
  database: Queryable,
  kind: Kind,
  scope: SettingsScope,
  version: number,
) => database.row(one, ...keyOf(kind, scope), version) as Promise<VersionRow<Content> | undefined>

const insert = statement(
  `insert into versions (kind, org, agent, env, holder, version, author, note, set_at, content)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

export const insertVersion = (
  tx: Transaction,
  kind: Kind,
  scope: SettingsScope,
  row: { version: number; author: string; note: string | null; set_at: Date; content: object },
) =>
  tx.rows(
    insert,
    ...keyOf(kind, scope),
    row.version,
    row.author,
    row.note,
    row.set_at,
    JSON.stringify(row.content),
  )
