import type { Environment } from '@switchroom/contract/scopes'
import type { Transport } from '@switchroom/contract/log'
import type { Transaction } from '../../database/database.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Log } from '../log/log.ts'
import { agentLog, callLog } from '../log/entries.ts'
import { isTestCall } from '../log/test-call-ids.ts'

/** A number that can be dialled from anywhere. */
export const phoneForm = /^\+[1-9][0-9]{6,14}$/

const longestWords = 500

/** The call in which the callback was requested. */
export interface CallbackCall {
  id: string
  org: string
  env: Environment
  agent: string
  transport: Transport
  contact: string | null
}

export interface WantedCallback {
  number: string
  when?: string | undefined
  note?: string | undefined
  /** The agent's app requested it, or no worker was free for the caller. */
  via: 'agent' | 'overflow'
}

/** Locks both logs in the order of all writers, so that no two deadlock. */
export async function lockWithAgentLog(tx: Transaction, log: Log, call: CallbackCall) {
  const own = agentLog(call)
  await log.open(tx, own)
  for (const id of [call.id, own.id].toSorted()) await log.lock(tx, id)
}

/**
 * Logs a requested callback in the call's log and, as a copy, in its agent's own; that of a test in the call's alone.
 * Lock the call's log first; nothing is dialled.
 */
export async function requestCallback(tx: Transaction, log: Log, call: CallbackCall, wanted: WantedCallback) {
  const data = {
    number: wanted.number,
    when: cut(wanted.when),
    note: cut(wanted.note),
    call: call.id,
    channel: call.transport,
    contact: call.contact,
    via: wanted.via,
  }
  const requested = [{ type: 'callback.requested', data }]
  const own = agentLog(call)
  await log.appendIn(tx, callLog(call), requested)
  if (isTestCall(call.id)) return
  await log.open(tx, own)
  await log.appendIn(tx, own, requested)
}

const cut = (words: string | undefined) =>
  words === undefined ? null : codePoints(words).slice(0, longestWords).join('')
