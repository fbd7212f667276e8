import type { Environment } from '@switchroom/contract/scopes'
import { brokenConstraint, statement, type Queryable, type Transaction } from '../../database/database.ts'
import { conflict } from '../../foundation/refusals.ts'
import type { BaseFields } from './base-fields.ts'

export interface BaseRow extends BaseFields {
  id: string
  org: string
  env: Environment
  base: string
  documents: number
  chunks: number
  bytes: number
  created_at: string
  changed_at: string
}

const columns = `id, org, env, base, description, language, embed, agents, documents, chunks, bytes, created_at, changed_at`

const all = statement<BaseRow>(
  `select ${columns} from knowledge_bases where org = $1 and env = $2 order by base`,
)

export const listBases = (database: Queryable, org: string, env: Environment) => database.rows(all, org, env)

const one = statement<BaseRow>(
  `select ${columns} from knowledge_bases where org = $1 and env = $2 and base = $3`,
)

export const findBase = (database: Queryable, org: string, env: Environment, base: string) =>
  database.row(one, org, env, base)

const users = statement<{ base: string; agent: string }>(`
  select distinct item ->> 'base' as base, agent
  from (
    select distinct on (agent, holder) agent, content from versions
    where kind = 'settings' and org = $1 and env = $2 order by agent, holder, version desc
  ) newest
  cross join lateral json_array_elements(
    case json_typeof(content -> 'bases') when 'array' then content -> 'bases' else '[]' end
  ) item
  where json_typeof(item) = 'object' order by 1, 2`)

/** Which agents' newest settings name which bases, in any scope. */
export const listUsers = (database: Queryable, org: string, env: Environment) =>
  database.rows(users, org, env)

const insert = statement<BaseRow>(`
  insert into knowledge_bases (id, org, env, base, description, language, embed, agents, created_at, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning ${columns}`)

export async function insertBase(
  tx: Transaction,
  { id, org, env, base }: Pick<BaseRow, 'id' | 'org' | 'env' | 'base'>,
  { description, language, embed, agents }: BaseFields,
  now: Date,
) {
  try {
    return await tx.row(insert, id, org, env, base, description, language, embed, agents, now)
  } catch (error) {
    if (brokenConstraint(error) === 'knowledge_bases_org_env_base_key')
      throw conflict(`this org has a base ${base} in ${env}: choose another name`)
    throw error
  }
}

// What was read is what is replaced, so that no request undoes another's change.
const replace = statement<BaseRow>(`
  update knowledge_bases set description = $3, language = $4, embed = $5, agents = $6,
    generation = generation + 1, changed_at = $7
  where id = $1 and changed_at = $2 returning ${columns}`)

/** Undefined if it was changed or deleted since it was read. */
export const replaceFields = (
  tx: Transaction,
  read: Pick<BaseRow, 'id' | 'changed_at'>,
  { description, language, embed, agents }: BaseFields,
  now: Date,
) => tx.row(replace, read.id, read.changed_at, description, language, embed, agents, now)

const requeue = statement(`
  update knowledge_documents
  set state = 'queued', why = null, due_at = $2, reader = null, attempts = 0, read_digest = null,
    changed_at = $2
  where base = $1 and blob is not null`)

/** Everything of it is read anew; what searches find stays until then. */
export const requeueDocuments = (tx: Transaction, base: string, now: Date) => tx.rows(requeue, base, now)

const removeDocuments = statement(`delete from knowledge_documents where base = $1`)

/** Before the base: what reads a document locks that first. */
export const deleteDocuments = (tx: Transaction, base: string) => tx.rows(removeDocuments, base)

const remove = statement<BaseRow>(`delete from knowledge_bases where id = $1 returning ${columns}`)

export const deleteBase = (tx: Transaction, id: string) => tx.row(remove, id)

const count = statement<{ id: string }>(`
  update knowledge_bases set documents = documents + $2, bytes = bytes + $3, chunks = chunks + $4,
    generation = generation + $5
  where id = $1 returning id`)

/** False if the base is gone. */
export const addCounts = async (
  tx: Transaction,
  base: string,
  { documents = 0, bytes = 0, chunks = 0 }: { documents?: number; bytes?: number; chunks?: number },
  isFoundChanged: boolean,
) => (await tx.row(count, base, documents, bytes, chunks, isFoundChanged ? 1 : 0)) !== undefined
