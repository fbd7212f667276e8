import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export interface PeerRow {
  account: string
  /** As `host` or `host:port`; null if the platform does not dial it. */
  dials_at: string | null
  dial_extensions: string[]
  /** Those of its networks that the operator approved. */
  approved: string[]
}

const peers = statement<PeerRow>(`
  select a.account, a.dials_at, a.dial_extensions, array(
    select w.network from networks w
    where w.org = a.org and w.network = any(a.networks) and w.state = 'approved') as approved
  from carrier_accounts a
  where a.org = $1 and a.kind = 'sip' and a.forgotten_at is null
    and a.account = coalesce($2, (
      select n.account from numbers n
      where n.org = $1 and n.env = $3 and n.number in ($4, $4 || '/' || $1)), a.account)
  order by a.ordinal`)

/** The SIP account that is named, else the one that `from` lives in, else all of the org. */
export const listPeers = (
  database: Queryable,
  asked: { org: string; env: Environment; account: string | undefined; from: string | undefined },
) => database.rows(peers, asked.org, asked.account ?? null, asked.env, asked.from ?? null)
