import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '@switchroom/contract/scopes'
import type { Chunk, SearchedBase } from '../../src/knowledge/passages.ts'
import type { Deployment } from '../deployment.ts'

/** A piece of a document, as reading one would make it. */
export const chunk = (text: string, heading: readonly string[] = []): Chunk => ({
  id: `chk_${randomBytes(8).toString('hex')}`,
  heading,
  text,
  digest: createHash('sha256')
    .update(JSON.stringify([heading, text]))
    .digest(),
})

export interface TestBase extends SearchedBase {
  /** Puts a document with these chunks in place of the one of that name. */
  put(name: string, chunks: readonly (Chunk | string)[]): Promise<string>
}

export interface BaseWanted {
  env?: Environment
  base?: string
  language?: string | null
  embed?: string | null
  agents?: string[] | null
}

/** A base of an org, whose documents a test puts in without reading files. */
export async function testBase(
  { gateway, sql }: Pick<Deployment, 'gateway' | 'sql'>,
  org: string,
  { env = 'sandbox', base = 'help', language = null, embed = null, agents = null }: BaseWanted = {},
): Promise<TestBase> {
  const id = `bas_${randomBytes(8).toString('hex')}`
  await sql(
    `insert into knowledge_bases (id, org, env, base, description, language, embed, agents, created_at, changed_at)
     values ($1, $2, $3, $4, '', $5, $6, $7, now(), now())`,
    [id, org, env, base, language, embed, agents],
  )
  const searched: SearchedBase = { id, org, env, base, language, embed }
  return inGateway({ gateway, sql }, searched)
}

/** The same base, whose documents another gateway puts in. */
export function inGateway(
  { gateway, sql }: Pick<Deployment, 'gateway' | 'sql'>,
  searched: SearchedBase,
): TestBase {
  return {
    ...searched,
    async put(name, chunks) {
      const document = await documentOf(sql, searched, name)
      const whole = chunks.map((piece) => (typeof piece === 'string' ? chunk(piece) : piece))
      const { chunkIndex, database } = gateway.services
      const prepared = await chunkIndex.prepare(searched, whole, new AbortController().signal)
      await database.transaction((tx) => prepared.write(tx, document))
      return document
    },
  }
}

async function documentOf(sql: Deployment['sql'], { id, org, env }: SearchedBase, name: string) {
  const { rows } = await sql(
    `insert into knowledge_documents (id, base, org, env, name, format, source, state, created_at, changed_at)
     values ($1, $2, $3, $4, $5, 'text', 'text', 'ready', now(), now())
     on conflict (base, name) do update set changed_at = excluded.changed_at returning id`,
    [`doc_${randomBytes(8).toString('hex')}`, id, org, env, name],
  )
  return rows[0].id as string
}
