import type { CallState } from '@switchroom/contract/log'
import { statement, type Transaction } from '../../database/database.ts'

export interface SupervisedCall {
  channel: string
  state: CallState
  held_by: string | null
  /** What whoever holds it is called. */
  holder_name: string | null
}

const standing = statement<SupervisedCall>(`
  select channel, state, held_by, coalesce(
    (select name from members where id = held_by), (select label from keys where id = held_by), held_by
  ) as holder_name
  from calls where id = $1`)

/** Of a call whose log is held: asked before, it would tell how the call stood then. */
export const readState = (tx: Transaction, call: string) => tx.row(standing, call)

const take = statement(`update calls set state = 'held', held_by = $2 where id = $1`)

export const setHeld = (tx: Transaction, call: string, holder: string) => tx.rows(take, call, holder)

const free = statement(`update calls set state = 'open', held_by = null where id = $1`)

export const letGo = (tx: Transaction, call: string) => tx.rows(free, call)
