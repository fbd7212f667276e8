import type { Client } from 'pg'

interface Dropped {
  drop: string
  make: string
}

// Of a table that no other refers to, the primary key goes as well.
const droppable = (tables: readonly string[]) => `
  select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as make
  from pg_index i where i.indrelid = any('{${tables.join()}}'::regclass[])
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  union all
  select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname),
    format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c where c.conrelid = any('{${tables.join()}}'::regclass[]) and c.contype in ('p', 'u')
    and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = c.conindid)`

/** Drops the indexes of the tables for as long as they are filled: sorted in at once they take a tenth of the time. */
export async function withoutIndexes(client: Client, tables: readonly string[], fill: () => Promise<void>) {
  const { rows } = await client.query<Dropped>(droppable(tables))
  for (const { drop } of rows) await client.query(drop)
  await fill()
  for (const { make } of rows) await client.query(make)
}
