import type { Observed } from './observed-tables.ts'
import type { RaceWorld } from './race-world.ts'

export interface Pair {
  operations: readonly [string, string]
  /** The tables that both touch. */
  tables: readonly string[]
}

interface Reference {
  of: string
  to: string
}

/** Which table's rows name rows of which other. */
export async function references({ sql }: RaceWorld): Promise<Reference[]> {
  const { rows } = await sql(`
    select distinct conrelid::regclass::text as of, confrelid::regclass::text as to
    from pg_constraint where contype = 'f'`)
  return rows
}

/**
 * Every two operations, one with itself too, that write to the same table, or of which one deletes what rows of the other
 * name. Tables that only ever grow do not count.
 */
export function pairsOf(
  observed: Observed,
  referring: readonly Reference[],
  growing: ReadonlySet<string>,
): Pair[] {
  const names = [...observed.keys()].toSorted()
  const pairs: Pair[] = []
  for (const [at, one] of names.entries())
    for (const other of names.slice(at)) {
      const tables = new Set([
        ...sharedTables(observed, one, other, growing),
        ...severed(observed, referring, one, other),
        ...severed(observed, referring, other, one),
      ])
      if (tables.size > 0) pairs.push({ operations: [one, other], tables: [...tables].toSorted() })
    }
  return pairs
}

const sharedTables = (observed: Observed, one: string, other: string, growing: ReadonlySet<string>) =>
  [...(observed.get(one)?.keys() ?? [])].filter(
    (table) => observed.get(other)?.has(table) && !growing.has(table),
  )

/** Tables of which one deletes rows that what the other writes may name. */
const severed = (observed: Observed, referring: readonly Reference[], one: string, other: string) =>
  referring
    .filter(({ of, to }) => observed.get(one)?.get(to)?.has('DELETE') && observed.get(other)?.has(of))
    .map(({ to }) => to)

/** Tables to which every operation only adds, whose rows nobody may change, and of which no two want the same place. */
export async function growingTables({ sql }: RaceWorld, observed: Observed): Promise<Set<string>> {
  const { rows } = await sql(`
    select distinct tgrelid::regclass::text as tab from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.proname like 'refuse_change%'
      and not exists (select from pg_index where indrelid = tgrelid and indisunique and indnkeyatts > 1)`)
  const isChanged = (table: string) =>
    [...observed.values()].some((tables) => {
      const changes = tables.get(table)
      return changes?.has('UPDATE') || changes?.has('DELETE')
    })
  return new Set(rows.map(({ tab }) => tab as string).filter((table) => !isChanged(table)))
}
