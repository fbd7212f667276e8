import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { isOtherAlive, type LiveGateways } from '../../database/gateway-liveness.ts'

/** The number that sends the agent's turns of a call, and the contact who gets them. */
export interface Route {
  org: string
  phone_number_id: string
  contact: string
}

const insert = statement(`
  insert into sendings (call, org, phone_number_id, contact, sender) values ($1, $2, $3, $4, $5)`)

export const insertSending = (tx: Transaction, call: string, route: Route, sender: string) =>
  tx.rows(insert, call, route.org, route.phone_number_id, route.contact, sender)

const claim = statement<Route>(`
  update sendings s set sender = $2 from logs l
  where s.call = $1 and l.id = s.call and (l.runner = $2 or s.sender = $2)
  returning s.org, s.phone_number_id, s.contact`)

/** For the gateway that runs the call, or that sends what one that has ended left. */
export const claimSending = (database: Queryable, call: string, own: string) => database.row(claim, call, own)

const find = statement<Route>(`select org, phone_number_id, contact from sendings where call = $1`)

export const findRoute = (database: Queryable, call: string) => database.row(find, call)

const release = statement(`update sendings set sender = '' where call = $1 and sender = $2`)

export const releaseSending = (database: Queryable, call: string, own: string) =>
  database.rows(release, call, own)

const remove = statement(`delete from sendings where call = $1 and sender = $2`)

export const endSending = (database: Queryable, call: string, own: string) => database.rows(remove, call, own)

const takeLeft = statement<{ call: string }>(`
  with left_behind as (
    select s.call from sendings s join logs l on l.id = s.call
    where l.sealed and s.call <> all($4::text[]) and (
      s.sender = $1 or not ${isOtherAlive('s.sender')}
    )
    limit $3 for update of s skip locked
  )
  update sendings s set sender = $1 from left_behind where s.call = left_behind.call returning s.call`)

/** Of ended calls that no gateway sends for: theirs is gone, or it is this one and has no outlet open. */
export const claimLeft = async (
  database: Queryable,
  { own, since }: LiveGateways,
  sentHere: readonly string[],
  atMost: number,
) => (await database.rows(takeLeft, own, since, atMost, sentHere)).map(({ call }) => call)

const older = statement<{ isBehind: boolean }>(`
  select exists (
    select from sendings own
    join calls c on c.id = own.call
    join sendings s on s.org = own.org and s.phone_number_id = own.phone_number_id and s.contact = own.contact
    join calls o on o.id = s.call
    join logs l on l.id = s.call
    where own.call = $1 and o.ordinal < c.ordinal and l.sealed
  ) as "isBehind"`)

/** Whether an older call of the same contact, which has ended, still sends. */
export const isBehindOlder = async (database: Queryable, call: string) =>
  (await database.row(older, call))?.isBehind === true
