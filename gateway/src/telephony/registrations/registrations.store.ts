import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export interface AccountName {
  org: string
  account: string
}

// One that has numbers in both environments is production's. A second worker waits for the row, and then finds it leased.
const claim = statement<AccountName>(`
  insert into sip_registrations as r (org, account, worker, leased_until)
  select a.org, a.account, $2, $3 from carrier_accounts a
  where a.registers and a.forgotten_at is null
    and $1 = (select min(n.env) from numbers n where n.org = a.org and n.account = a.account)
  order by a.org, a.account
  on conflict (org, account) do update
  set worker = excluded.worker, leased_until = excluded.leased_until,
    state = case when r.worker = excluded.worker then r.state else 'trying' end,
    until = case when r.worker = excluded.worker then r.until end,
    says = case when r.worker = excluded.worker then r.says end
  where r.worker = excluded.worker or r.leased_until <= $4
  returning org, account`)

/** Takes what no other worker has, and keeps what this one has. */
export const claimRegistrations = (
  database: Queryable,
  { env, worker }: { env: Environment; worker: string },
  leasedUntil: Date,
  now: Date,
) => database.rows(claim, env, worker, leasedUntil, now)

export interface ToldRegistration extends AccountName {
  state: string
  until: Date | null
  says: string | null
}

const tell = statement(`
  update sip_registrations set state = $4, until = $5, says = $6 where org = $1 and account = $2 and worker = $3`)

export const keepState = (
  database: Queryable,
  worker: string,
  { org, account, state, until, says }: ToldRegistration,
) => database.rows(tell, org, account, worker, state, until, says)

const giveBack = statement(`delete from sip_registrations where worker = $1`)

export const giveBackRegistrations = (database: Queryable, worker: string) => database.rows(giveBack, worker)
