import type { NetworkState } from '@switchroom/contract/carriers'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NetworkRow {
  id: string
  org: string
  network: string
  state: NetworkState
  account: string | null
  number: string | null
  asked_at: string
}

const insert = statement(`
  insert into networks (id, org, network, account, number, asked_at)
  select id, $2, network, $4, $5, $6 from unnest($1::text[], $3::text[]) as asked (id, network)
  on conflict (org, network) do nothing`)

/** One that was asked for before keeps its state. */
export const insertNetworks = (
  tx: Transaction,
  ids: readonly string[],
  org: string,
  networks: readonly string[],
  by: { account: string | null; number: string | null },
  now: Date,
) => tx.rows(insert, ids, org, networks, by.account, by.number, now)

const states = statement<Pick<NetworkRow, 'network' | 'state'>>(`
  select network, state from networks where org = $1 and network = any($2::text[])`)

export const statesOf = (database: Queryable, org: string, networks: readonly string[]) =>
  database.rows(states, org, networks)

const ofOrgs = statement<Pick<NetworkRow, 'org' | 'network' | 'state'>>(`
  select org, network, state from networks where org = any($1::text[])`)

export const statesOfAll = (database: Queryable, orgs: readonly string[]) => database.rows(ofOrgs, orgs)

const columns = 'id, org, network, state, account, number, asked_at'

const byState = statement<NetworkRow>(`select ${columns} from networks where state = $1 order by ordinal`)

export const listNetworks = (database: Queryable, state: NetworkState) => database.rows(byState, state)

const locked = statement<NetworkRow>(`select ${columns} from networks where id = $1 for update`)

export const lockNetwork = (tx: Transaction, id: string) => tx.row(locked, id)

const move = statement(`update networks set state = $2 where id = $1`)

export const setState = (tx: Transaction, id: string, state: NetworkState) => tx.rows(move, id, state)

const approvedInUse = statement<{ network: string }>(`
  select distinct network from networks n where state = 'approved' and (
    exists (select from carrier_accounts a where a.org = n.org and n.network = any(a.networks)
      and (a.forgotten_at is null
        or exists (select from numbers x where x.org = a.org and x.account = a.account)))
    or exists (select from numbers x where x.org = n.org and n.network = any(x.networks)))`)

/** A forgotten account's are in use until its last number is released. */
export const networksInUse = (database: Queryable) => database.rows(approvedInUse)
