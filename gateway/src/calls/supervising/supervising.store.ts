import type { CallState } from '@switchroom/contract/log'
import { statement, type Transaction } from '../../database/database.ts'

export interface SupervisedCall {
  channel: string
  state: CallState
  held_by: string | null
  /** The name of the person or key in `held_by`. */
  holder_name: string | null
}

const state = statement<SupervisedCall>(`
  select channel, state, held_by, coalesce(
    (select name from members where id = held_by), (select label from keys where id = held_by), held_by
  ) as holder_name
  from calls where id = $1`)

/** Read it after the log is locked: before that it may be out of date. */
export const readState = (tx: Transaction, call: string) => tx.row(state, call)

const take = statement(`update calls set state = 'held', held_by = $2 where id = $1`)

export const setHeld = (tx: Transaction, call: string, holder: string) => tx.rows(take, call, holder)

const release = statement(`update calls set state = 'open', held_by = null where id = $1`)

export const setReleased = (tx: Transaction, call: string) => tx.rows(release, call)
