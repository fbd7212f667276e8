import { beginnings, type Sought } from './search.store.ts'
import { made, sessionColumns, type Wanted } from './sessions.store.ts'

// Searches the entries themselves, for as long as not all of their words are in `turn_words`.

/** The turns of the org's calls; no other entry has its `org` set. */
const turns = `from entries where org = $1`
const holds = (words: string) => `org_words(org, entry::json -> 'data' ->> 'text') @> org_words($1, ${words})`

/** Looks into the newest calls one by one. */
export const searchOfNewestEntries = (
  wanted: Wanted,
  { words, number }: Sought,
  limit: number,
  calls: number,
) =>
  made(wanted, (filters, place) => {
    const said = place(words)
    const ways = [
      `id = ${said}`,
      `(select bool_or(${holds(said)}) ${turns} and log = calls.id)`,
      ...beginnings(number, place),
    ]
    return `
      select ${sessionColumns}
      from (select * from calls where ${filters} order by ordinal desc limit ${place(calls)}) as calls
      where ${ways.join(' or ')}
      order by ordinal desc limit ${place(limit)}`
  })

/** Finds ids first, each condition by its own index, and then their calls. */
export const searchOfAllEntries = (wanted: Wanted, { words, number }: Sought, limit: number) =>
  made(wanted, (filters, place) => {
    const said = place(words)
    const ways = [
      `select ${said} as id`,
      `select log ${turns} and ${holds(said)}`,
      ...beginnings(number, place).map((begins) => `select id from calls where org = $1 and ${begins}`),
    ]
    return `
      with found as materialized (${ways.join(' union ')})
      select ${sessionColumns} from calls where ${filters} and id in (select id from found)
      order by ordinal desc limit ${place(limit)}`
  })
