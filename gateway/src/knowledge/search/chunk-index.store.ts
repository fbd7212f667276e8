import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const byId = statement<{ number: number; usual: string | null }>(`
  select number, (
    select language from knowledge_languages where base = b.number order by chunks desc, language limit 1
  ) as usual
  from knowledge_bases b where id = $1`)

/** What its lexemes begin with, and the language of most of its chunks. */
export const findBase = (database: Queryable, id: string) => database.row(byId, id)

const lock = statement(`select from knowledge_bases where id = $1 for no key update`)

export const lockBase = (tx: Transaction, base: string) => tx.row(lock, base)

const removeChunks = statement(`delete from knowledge_chunks where document = $1`)
const removeWords = statement(`delete from knowledge_words where document = $1`)

export async function deleteChunks(tx: Transaction, document: string) {
  await tx.rows(removeWords, document)
  await tx.rows(removeChunks, document)
}

export interface ChunkRow {
  ordinal: number
  id: string
  heading: readonly string[]
  text: string
  /** In base64. */
  digest: string
}

const addChunks = statement(`
  insert into knowledge_chunks (base, document, ordinal, id, heading, text, digest)
  select $1, $2, c.ordinal, c.id, c.heading, c.text, decode(c.digest, 'base64')
  from json_to_recordset($3::json) as c (ordinal integer, id text, heading text[], text text, digest text)`)

export const insertChunks = (tx: Transaction, base: string, document: string, chunks: readonly ChunkRow[]) =>
  tx.rows(addChunks, base, document, JSON.stringify(chunks))

export interface WordsRow {
  ordinal: number
  language: string
  length: number
  words: string
}

const addWords = statement(`
  insert into knowledge_words (base, document, ordinal, language, length, words)
  select $1, $2, w.ordinal, w.language, w.length, w.words
  from json_to_recordset($3::json) as w (ordinal integer, language text, length integer, words tsvector)`)

export const insertWords = (tx: Transaction, base: number, document: string, words: readonly WordsRow[]) =>
  tx.rows(addWords, base, document, JSON.stringify(words))
