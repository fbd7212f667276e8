import { createHash, randomBytes } from 'node:crypto'
import { Database } from '@switchroom/gateway/database/database'
import { StoredChunks } from '@switchroom/gateway/knowledge/search/chunk-index'
import { BaseSearch, SearchMemory } from '@switchroom/gateway/knowledge/search/search'
import { Stems } from '@switchroom/gateway/knowledge/search/stems'
import type { Chunk, SearchedBase } from '@switchroom/gateway/knowledge/passages'

export const chunkOf = (text: string, heading: readonly string[] = []): Chunk => ({
  id: `chk_${randomBytes(8).toString('hex')}`,
  heading,
  text,
  digest: createHash('sha256')
    .update(`${heading.join('\n')}\n${text}`)
    .digest(),
})

/** Bases of an org as a gateway makes and searches them, over connections of the bench's own. */
export class BenchBases implements AsyncDisposable {
  readonly database: Database
  readonly search: BaseSearch
  readonly #org: string
  readonly #chunks: StoredChunks

  constructor(databaseUrl: string, org: string) {
    this.database = new Database(databaseUrl, () => {}, { connections: 4 })
    this.#org = org
    const stems = new Stems(this.database)
    this.#chunks = new StoredChunks(this.database, stems)
    this.search = new BaseSearch(
      this.database,
      new SearchMemory({ stems, lexicons: { ofOrg: async () => [] } }),
    )
  }

  get reach() {
    return { org: this.#org, env: 'sandbox', agents: null } as const
  }

  async add(base: string, language: string | null = null): Promise<SearchedBase> {
    const id = `bas_${randomBytes(8).toString('hex')}`
    await this.database.pool.query(
      `insert into knowledge_bases (id, org, env, base, description, language, created_at, changed_at)
       values ($1, $2, 'sandbox', $3, '', $4, now(), now())`,
      [id, this.#org, base, language],
    )
    return { id, org: this.#org, env: 'sandbox', base, language, embed: null }
  }

  async put(base: SearchedBase, name: string, chunks: readonly Chunk[]) {
    const document = `doc_${randomBytes(8).toString('hex')}`
    await this.database.pool.query(
      `insert into knowledge_documents (id, base, org, env, name, format, source, state, created_at, changed_at)
       values ($1, $2, $3, 'sandbox', $4, 'text', 'text', 'ready', now(), now())`,
      [document, base.id, this.#org, name],
    )
    const prepared = await this.#chunks.prepare(base, chunks, new AbortController().signal)
    await this.database.transaction((tx) => prepared.write(tx, document))
  }

  async [Symbol.asyncDispose]() {
    await this.database.close()
  }
}
