import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** A stream or a chat to be opened. */
export interface NewConnection {
  id: string
  gateway: string
  org: string
  cap: 'event_streams' | 'chats'
  usual: number
  /** The key or the org that the cap applies to. */
  owner: string
}

const open = statement<{ most: number | null }>(
  `select open_connection($1, $2, $3, $4, $5, $6, $7, $8) as most`,
)

/** Lists the connection, or answers the cap if that many are open over all live gateways. */
export const openConnection = async (
  database: Queryable,
  { id, gateway, org, cap, usual, owner }: NewConnection,
  aliveSince: Date,
  now: Date,
) => (await database.row(open, org, cap, usual, owner, id, gateway, aliveSince, now))?.most ?? null

const remove = statement(`delete from open_connections where id = any($1)`)

export const deleteConnections = (database: Queryable, ids: readonly string[]) => database.rows(remove, ids)

// They no longer count; kept for a while, because a gateway that was declared dead may come back.
const removeLost = statement(`
  delete from open_connections c
  where c.opened_at < $1 and not exists (select from gateways g where g.id = c.gateway)`)

export const deleteLost = (database: Queryable, before: Date) => database.rows(removeLost, before)

const chats = statement<{ most: number | null }>(`select chats_at_cap($1, $2) as most`)

/** The cap, if the org has reached it; locked to the end of the transaction. */
export const chatsAtCap = async (tx: Transaction, org: string, usual: number) =>
  (await tx.row(chats, org, usual))?.most ?? null
