import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import { shownColumn } from '../../foundation/number-keys.ts'
import type { FromNumber } from './from-number.ts'

const list = statement<FromNumber>(`
  select ${shownColumn('number')} as number, account, kind, fallback_accounts, why_not from from_numbers
  where org = $1 and env = $2 and ($3::text is null or agent = $3) order by ordinal`)

export const listFromNumbers = (database: Queryable, org: string, env: Environment, agent: string | null) =>
  database.rows(list, org, env, agent)
