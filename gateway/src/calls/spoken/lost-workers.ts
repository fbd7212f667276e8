import type { NewEntry } from '@switchroom/contract/log'
import { primaryTag } from '@switchroom/kit/languages'
import type { Logger } from 'pino'
import type { Check } from '../../database/due-checks.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { newId } from '../../foundation/secrets.ts'
import { lockWithAgentLog, phoneForm, requestCallback } from '../callbacks/callback-requests.ts'
import type { Log } from '../log/log.ts'
import { aboutCall, callLog } from '../log/entries.ts'
import { heartbeatLagMs } from './entry-appender.ts'
import * as store from './spoken-calls.store.ts'

const lostAfterMs = 30 * secondMs

/** What the caller hears; the second sentence only if there is a number to call back. */
const english = ['Sorry, something went wrong on our side.', 'We will call you back.'] as const
const sentences: Readonly<Record<string, readonly [string, string]>> = {
  es: ['Perdona, tenemos un problema técnico.', 'Te volveremos a llamar.'],
  pt: ['Desculpe, temos um problema técnico.', 'Vamos ligar de volta.'],
}

export interface LostWorkersParts {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  /** Says it to the caller without a worker, if the media plane still has the call. */
  tellCaller?: (call: store.SpokenCall, text: string) => Promise<void>
  /** Disconnects everyone who is still in the call. */
  hangUp: (call: store.SpokenCall) => Promise<void>
}

/** Ends calls whose workers died; the first gateway that notices does it, once. */
export class LostWorkers {
  readonly #parts: LostWorkersParts

  constructor(parts: LostWorkersParts) {
    this.#parts = parts
  }

  get due(): Check {
    return store.silentCheck(this.#silentSince)
  }

  async poll() {
    const { database, logger } = this.#parts
    for (const { id } of await store.findSilent(database, this.#silentSince))
      await database
        .transaction((tx) => this.#end(tx, id))
        .catch((error: unknown) =>
          logger.warn({ err: error, call: id }, 'a call without a worker could not be ended'),
        )
  }

  /** Heartbeats are stored with a lag. */
  get #silentSince(): Date {
    return later(this.#parts.clock.now(), -lostAfterMs - heartbeatLagMs)
  }

  /** Does nothing if the call ended or its worker sent a heartbeat before the log was locked. */
  async #end(tx: Transaction, id: string) {
    const { log } = this.#parts
    const found = await store.findCall(tx, id)
    if (found?.channel === 'phone') await lockWithAgentLog(tx, log, { ...found, transport: 'phone' })
    const locked = await log.lock(tx, id)
    const call = locked && !locked.sealed ? await store.findCall(tx, id) : undefined
    if (!call || call.beat_at === null || Date.parse(call.beat_at) > this.#silentSince.getTime()) return
    const ref = callLog(call)
    const isRinging = call.direction === 'outbound' && !(await store.wasAnswered(tx, id))
    const isHeard = call.channel === 'phone' && !isRinging
    const number = isHeard && phoneForm.test(call.contact ?? '') ? call.contact : null
    const said = isHeard ? sentenceOf(call, number !== null) : undefined
    await log.appendIn(tx, ref, [...(said === undefined ? [] : [sayRequested(said)]), lost])
    if (number !== null)
      await requestCallback(tx, log, { ...call, transport: 'phone' }, { number, via: 'overflow' })
    const reason = isRinging ? 'dial_failed' : 'failed'
    await log.appendIn(tx, ref, [{ type: 'call.ended', data: { reason } }])
    tx.afterCommit(() => void this.#disconnect(call, said))
  }

  /** After the commit, and so once. */
  async #disconnect(call: store.SpokenCall, said: string | undefined) {
    const { tellCaller, hangUp, logger } = this.#parts
    try {
      if (said !== undefined) await tellCaller?.(call, said)
    } catch (error) {
      logger.warn({ err: error, ...aboutCall(call) }, 'the caller of a lost call did not hear why it ends')
    }
    await hangUp(call).catch((error: unknown) =>
      logger.warn({ err: error, ...aboutCall(call) }, 'a call without a worker could not be hung up'),
    )
  }
}

function sentenceOf({ language }: store.SpokenCall, isCalledBack: boolean): string {
  const [sorry, back] = sentences[primaryTag(language ?? '')] ?? english
  return isCalledBack ? `${sorry} ${back}` : sorry
}

const sayRequested = (text: string): NewEntry => ({
  type: 'say.requested',
  data: { text, messageId: newId('msg', 8) },
})

const lost: NewEntry = {
  type: 'error',
  data: {
    code: 'worker_lost',
    detail: `the worker that ran the call gave no sign of life for ${lostAfterMs / secondMs} seconds`,
  },
}
