import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export interface NumberRow {
  number: string
  org: string
  env: Environment
  agent: string
  channel: 'phone' | 'msgapp'
  /** Hooked, and nobody has let it ring yet. */
  awaits_approval: boolean
}

const find = statement<NumberRow>(`
  select number, org, env, agent, channel, origin = 'hooked' and approved_at is null as awaits_approval
  from numbers where number = $1`)

export const findNumber = (database: Queryable, number: string) => database.row(find, number)

const reach = statement(`
  update numbers set last_call_at = $2 where number = $1 and (last_call_at is null or last_call_at <= $3)`)

export const setLastCall = (database: Queryable, number: string, now: Date, unlessSince: Date) =>
  database.rows(reach, number, now, unlessSince)
