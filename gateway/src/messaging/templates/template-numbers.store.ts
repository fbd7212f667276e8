import { statement, type Queryable } from '../../database/database.ts'
import type { ThreadAgent } from '../threads/threads.ts'

/** A number of an agent on the messaging platform. */
export interface AgentNumber {
  number: string
  /** Null for a number of the deployment's own that no contact has written to. */
  phone_number_id: string | null
  /** Whether the contact wrote to it, or was written to from it. */
  is_contacts: boolean
}

const list = statement<AgentNumber>(`
  select n.number,
    coalesce(n.account, (
      select phone_number_id from conversations a where a.org = n.org and a.env = n.env and a.number = n.number limit 1
    )) as phone_number_id,
    v.contact is not null as is_contacts
  from numbers n
  left join conversations v on v.org = n.org and v.env = n.env and v.number = n.number and v.contact = $4
  where n.org = $1 and n.env = $2 and n.agent = $3 and n.channel = 'msgapp'
  order by is_contacts desc, v.wrote_at desc nulls last, n.ordinal`)

/** Those that the contact knows first, the last used one before the others. */
export const listNumbers = (database: Queryable, { org, env, agent }: ThreadAgent, contact: string | null) =>
  database.rows(list, org, env, agent, contact)
