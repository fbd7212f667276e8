import { setTimeout as pause } from 'node:timers/promises'
import { allOperations } from './operations/all-operations.ts'
import { messageOf } from './race-findings.ts'
import { RaceOrg } from './race-org.ts'
import { Round } from './race-round.ts'
import { until } from '../until.ts'
import type { RaceWorld } from './race-world.ts'

/** What an operation does to a table, as PostgreSQL calls it. */
type Change = 'INSERT' | 'UPDATE' | 'DELETE'

export type Observed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<Change>>>

const watch = `
  create unlogged table race_changes (at bigint generated always as identity, tab text, change text);
  create function note_race_change() returns trigger language plpgsql as $$
    begin
      insert into race_changes (tab, change)
      select coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = tg_relid), tg_table_name), tg_op;
      return null;
    end $$;
  do $$ declare tab text; begin
    for tab in
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'race_changes'
    loop
      execute format('create trigger zz_races after insert or update or delete on %I for each row execute function note_race_change()', tab);
    end loop;
  end $$`

/** Runs every operation alone and notes the rows it writes, beside what gateways write at any time. */
export async function observe(world: RaceWorld, operations: readonly string[]): Promise<Observed> {
  await using org = await RaceOrg.open(world)
  const { sql } = world
  await sql(watch)
  const idle = await until('the gateways say that they live', async () => {
    const { rows } = await sql('select distinct tab from race_changes')
    return rows.length > 0 && new Set(rows.map(({ tab }) => tab))
  })
  const observed = new Map<string, Map<string, Set<Change>>>()
  const failed: string[] = []
  for (const operation of operations) {
    const shot = await allOperations[operation]?.(new Round(org)).catch(
      (error: unknown) => void failed.push(`${operation}: ${messageOf(error)}`),
    )
    await quiet(world)
    await sql('delete from race_changes')
    const answer = await shot?.(org.sites[1]).catch((error: unknown) => ({
      status: 0,
      text: messageOf(error),
    }))
    if (answer && (answer.status === 0 || answer.status >= 400))
      failed.push(`${operation} answered ${answer.status}: ${answer.text}`)
    await quiet(world)
    const { rows } = await sql('select distinct tab, change from race_changes')
    const tables = new Map<string, Set<Change>>()
    for (const { tab, change } of rows)
      if (!idle.has(tab)) tables.set(tab, new Set([...(tables.get(tab) ?? []), change]))
    observed.set(operation, tables)
  }
  if (failed.length > 0) throw new Error(`alone, these do not succeed:\n${failed.join('\n')}`)
  await sql('drop function note_race_change() cascade; drop table race_changes')
  return observed
}

/** What follows an answer, such as a letter or a ringing phone, is written too. */
async function quiet({ sql }: RaceWorld) {
  for (let before = -1; ;) {
    const { rows } = await sql('select count(*)::int as count from race_changes')
    if (rows[0].count === before) return
    before = rows[0].count
    await pause(25)
  }
}
