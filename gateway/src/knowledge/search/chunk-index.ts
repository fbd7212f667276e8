import type { Queryable, Transaction } from '../../database/database.ts'
import { conflict } from '../../foundation/refusals.ts'
import type { Chunk, ChunkIndex, PreparedChunks, SearchedBase } from '../passages.ts'
import * as store from './chunk-index.store.ts'
import { vectorOf, wordsOfChunks } from './chunk-words.ts'
import type { Stems } from './stems.ts'

const writtenAtOnce = 200

/** Makes what searches find of a document's chunks. */
export class StoredChunks implements ChunkIndex {
  readonly #database: Queryable
  readonly #stems: Stems

  constructor(database: Queryable, stems: Stems) {
    this.#database = database
    this.#stems = stems
  }

  async prepare(base: SearchedBase, chunks: readonly Chunk[], signal: AbortSignal): Promise<PreparedChunks> {
    const found = await store.findBase(this.#database, base.id)
    if (!found) throw conflict(`the base ${base.base} was deleted meanwhile`)
    const { number, usual } = found
    const words = await wordsOfChunks(this.#stems, { set: base.language, usual }, chunks, signal)
    const chunkRows = chunks.map(({ id, heading, text, digest }, ordinal) => ({
      ordinal,
      id,
      heading,
      text,
      digest: digest.toString('base64'),
    }))
    const wordRows = words.map((of, ordinal) => ({
      ordinal,
      language: of.language,
      length: of.length,
      words: vectorOf(number, of),
    }))
    return {
      write: async (tx: Transaction, document: string) => {
        // Before the document's rows, as every other writer of the base.
        await store.lockBase(tx, base.id)
        await store.deleteChunks(tx, document)
        for (const some of inParts(chunkRows)) await store.insertChunks(tx, base.id, document, some)
        for (const some of inParts(wordRows)) await store.insertWords(tx, number, document, some)
      },
    }
  }
}

const inParts = <Row>(rows: readonly Row[]) =>
  Array.from({ length: Math.ceil(rows.length / writtenAtOnce) }, (_, part) =>
    rows.slice(part * writtenAtOnce, (part + 1) * writtenAtOnce),
  )
