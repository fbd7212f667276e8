import { statement, type Queryable } from '../../database/database.ts'

const insert = statement(`
  insert into gateways (id, seen_at) values ($1, $2)
  on conflict (id) do update set seen_at = excluded.seen_at`)

export const insertGateway = (database: Queryable, id: string, now: Date) => database.rows(insert, id, now)

const seen = statement<{ id: string }>(`update gateways set seen_at = $2 where id = $1 returning id`)

/** Undefined for a gateway that was forgotten, with everything it held. */
export const seeGateway = (database: Queryable, id: string, now: Date) => database.row(seen, id, now)

const remove = statement(`delete from gateways where id = $1`)

export const deleteGateway = (database: Queryable, id: string) => database.rows(remove, id)

const forget = statement(`delete from gateways where seen_at < $2 and id <> $1`)

export const forgetOthers = (database: Queryable, own: string, before: Date) =>
  database.rows(forget, own, before)
