import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

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
