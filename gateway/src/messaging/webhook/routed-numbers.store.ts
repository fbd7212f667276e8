import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import type { Addressed } from '../platform/received.ts'

export interface RoutedNumber {
  org: string
  env: Environment
  agent: string
  number: string
}

// An account is named by the number's id at the platform.
const find = statement<RoutedNumber>(`
  select org, env, agent, number from numbers
  where channel = 'msgapp' and (account = $1 or number = $2)
  order by account = $1 desc nulls last, ordinal limit 1`)

/** Whose number it is: by its id at the platform, else by how it is dialled. */
export const findRouted = (database: Queryable, phoneNumberId: string, number: string) =>
  database.row(find, phoneNumberId, number)

const sentText = statement<{ text: string | null }>(`
  select e.entry::json -> 'data' ->> 'text' as text
  from sends s join calls c on c.id = s.call join logs l on l.id = s.call
  join entries e on e.log = l.id and e.month = l.month and e.seq = s.seq
  where s.platform_id = $1 and c.org = $2 and c.env = $3 and c.called = $4 and c.contact = $5 limit 1`)

/** What the agent said in a message to the contact, by the platform's id of the message. */
export const findSentText = async (
  database: Queryable,
  { org, env, number, contact }: Pick<Addressed, 'org' | 'env' | 'number' | 'contact'>,
  platformId: string,
) => (await database.row(sentText, platformId, org, env, number, contact))?.text ?? undefined
