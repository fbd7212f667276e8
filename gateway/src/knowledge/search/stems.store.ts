import { statement, type Queryable } from '../../database/database.ts'

const stems = statement<{ word: string; stems: string[] }>(`
  select word, ts_lexize($1::text::regdictionary, word) as stems from unnest($2::text[]) as word`)

export const findStems = (database: Queryable, dictionary: string, words: readonly string[]) =>
  database.rows(stems, dictionary, words)
