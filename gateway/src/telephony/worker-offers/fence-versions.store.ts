import type { Environment } from '@switchroom/contract/scopes'
import type { FenceTerms } from '@switchroom/contract/trunk-terms'
import { statement, type Queryable } from '../../database/database.ts'

export interface FenceVersion {
  version: number
  /** Of this version alone. */
  mark: string
}

const latest = statement<FenceVersion>(
  `select version, mark from fence_versions where env = $1 order by version desc limit 1`,
)

export async function findLatest(database: Queryable, env: Environment): Promise<FenceVersion> {
  const found = await database.row(latest, env)
  if (!found) throw new Error(`there is no version of the fences of ${env}`)
  return found
}

/** A fence as it is written into answers; lists are JSON already, because they are long and nobody looks into them. */
export interface WrittenFence {
  name: string
  fleet: string
  terms: FenceTerms
  networks: string
  numbers: string
  pair: Buffer | null
}

/** A fence, or that there is none, at the latest version. */
export type AtVersion<Row> = FenceVersion & (Row | { [Column in keyof Row]: null })

const written = `f.name, f.fleet, f.terms, to_json(f.networks)::text as networks,
  to_json(f.numbers)::text as numbers, f.pair`

const all = statement<AtVersion<WrittenFence>>(`
  select latest.version, latest.mark, ${written}
  from (${latest.text}) as latest
  left join fences f on split_part(f.scope, '/', 2) = $1
  order by f.name`)

/** With one row at least, which has no fence if there is none. */
export const listFences = (database: Queryable, env: Environment) => database.rows(all, env)

const since = statement<AtVersion<WrittenFence> & { changed: string | null }>(`
  select latest.version, latest.mark, changed.name as changed, ${written}
  from (${latest.text}) as latest
  join fence_versions known on known.env = $1 and known.version = $2 and known.mark = $3
  left join (select distinct name from fence_changes where env = $1 and version > $2) as changed on true
  left join fences f on f.name = changed.name
  order by changed.name`)

/** What is different since a version, removed ones without a fence; no row at all if the version is not known. */
export const listChanges = (database: Queryable, env: Environment, known: FenceVersion) =>
  database.rows(since, env, known.version, known.mark)
