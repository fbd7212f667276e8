import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { made, sessionColumns, type Place, type Wanted } from './sessions.store.ts'

/** A search; a call that matches either is found. */
export interface Sought {
  /** The call's id, or words that one turn contains. */
  words: string
  /** The first characters of a number. */
  number: string | undefined
}

/** From the oldest to the newest, by the ordinals of calls or by shelves. */
export interface Span {
  newest: number
  oldest: number
}

const shelfBits = 14
/** As `shelf_of` in the database. */
export const shelfOf = (ordinal: number) => Math.floor(ordinal / 2 ** shelfBits)

/** For each of a call's two numbers, whether it begins with these digits. */
export function beginnings(number: string | undefined, place: Place): string[] {
  if (number === undefined) return []
  const [from, to] = [place(number), place(`${number}:`)] // a colon comes after the digits
  return ['caller', 'called'].map(
    (column) => `${column} collate "C" >= ${from} and ${column} collate "C" < ${to}`,
  )
}

/** Looks into the newest calls one by one; what is searched for is made into words once for each of their shelves. */
export const searchOfNewest = (wanted: Wanted, { words, number }: Sought, limit: number, calls: number) =>
  made(wanted, (filters, place) => {
    const said = place(words)
    const ways = [
      `id = ${said}`,
      `(select bool_or(words @> sought) from turn_words where call = newest.id)`,
      ...beginnings(number, place),
    ]
    return `
      with newest as materialized (
        select *, shelf_of(ordinal) as shelf from calls where ${filters} order by ordinal desc limit ${place(calls)}
      ), shelves as materialized (
        select shelf, seeded_words(shelf_seed($1, $2, shelf), ${said}) as sought
        from (select distinct shelf from newest) as used
      )
      select ${sessionColumns}
      from newest join shelves using (shelf)
      where ${ways.join(' or ')}
      order by ordinal desc limit ${place(limit)}`
  })

/** The calls that are older than so many, or undefined if there are none. */
export async function spanPast(
  database: Queryable,
  wanted: Wanted,
  calls: number,
): Promise<Span | undefined> {
  const { query, values } = made<Span>(wanted, (filters, place) => {
    const inOrder = (order: string) => `select ordinal from calls where ${filters} order by ordinal ${order}`
    return `
      select ordinal as newest, (${inOrder('asc')} limit 1) as oldest
      from (${inOrder('desc')} offset ${place(calls)} limit 1) as next`
  })
  return database.row(query, ...values)
}

// With an offset PostgreSQL cannot go through all calls from the newest on, in the hope that enough of them match.
/** The call with that id, and those with a number that begins so; each by its own index. */
export const searchOfRecords = (wanted: Wanted, { words, number }: Sought, limit: number) =>
  made(wanted, (filters, place) => {
    const [said, most] = [place(words), place(limit)]
    const ways = [`id = ${said}`, ...beginnings(number, place)].map(
      (way) => `(
        select * from (select * from calls where ${filters} and ${way} offset 0) as matching
        order by ordinal desc limit ${most}
      )`,
    )
    return `
      select ${sessionColumns}
      from (select distinct on (ordinal) * from (${ways.join(' union all ')}) as found order by ordinal desc) as calls
      order by ordinal desc limit ${most}`
  })

// What is found is limited, so that PostgreSQL looks each call up and does not go through all that there are.
/** The calls from one shelf to another of which a turn has the words; the index knows an agent's and a channel's. */
export const searchOfShelves = (wanted: Wanted, words: string, shelves: Span, limit: number) =>
  made(wanted, (filters, place) => {
    const marks = [
      ...(wanted.agent === undefined ? [] : [`seeded_mark(seed, 'agent', ${place(wanted.agent)})`]),
      ...(wanted.channel === undefined ? [] : [`seeded_mark(seed, 'channel', ${place(wanted.channel)})`]),
    ]
    const isMarked = marks.length === 0 ? '' : `and words @> array[${marks.join(', ')}]`
    return `
      with found as materialized (
        select distinct call
        from generate_series(${place(shelves.oldest)}::bigint, ${place(shelves.newest)}::bigint) as shelf
        cross join lateral (select shelf_seed($1, $2, shelf) as seed) as own
        cross join lateral (
          select call from turn_words where words @> seeded_words(seed, ${place(words)}) ${isMarked}
        ) as turns
      )
      select ${sessionColumns}
      from found cross join lateral (select * from calls where id = found.call and ${filters} limit 1) as calls
      order by ordinal desc limit ${place(limit)}`
  })

const derive = statement(`
  insert into turn_words (call, seq, words)
  select calls.id, entries.seq,
    words || seeded_mark(seed, 'agent', calls.agent) || seeded_mark(seed, 'channel', channel)
  from calls join logs on logs.id = calls.id
  join entries on log = logs.id and entries.month = logs.month and entries.org is not null
  cross join lateral (select shelf_seed(calls.org, calls.env, shelf_of(ordinal)) as seed offset 0) as own
  cross join lateral (select seeded_words(seed, entry::json -> 'data' ->> 'text') as words offset 0) as said
  where calls.id = any($1::text[]) and words is not null
  on conflict do nothing`)

/** The words of what was said before the table was there. */
export const deriveWords = (tx: Transaction, calls: readonly string[]) => tx.rows(derive, calls)
