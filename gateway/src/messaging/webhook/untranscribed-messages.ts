import { setTimeout as pause } from 'node:timers/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { DueChecks } from '../../database/due-checks.ts'
import { dayMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { Received, Receiver } from '../platform/received.ts'
import * as store from './untranscribed-messages.store.ts'
import type { VoiceNotes } from './voice-notes.ts'

const pollEveryMs = 5 * secondMs
const mostAttempts = 5
const longestReason = 500

/** What the agent reads in place of a voice note that could not be transcribed, so that the contact gets an answer. */
export const notTranscribed = '(a voice note that could not be transcribed)'

export interface UntranscribedMessagesParts {
  database: Database
  clock: Clock
  logger: Logger
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  dueChecks: DueChecks
  voiceNotes: VoiceNotes
  receiver: Receiver
}

/** Another gateway works on the conversation by now, or the contact was erased. */
class Lost extends Error {}

/**
 * Voice notes that the webhook has accepted, and what their contacts wrote after them: transcribed and handed on one
 * after the other in each conversation, and side by side in different ones.
 */
export class UntranscribedMessages {
  readonly #parts: UntranscribedMessagesParts
  readonly #runs = new Map<string, { isMore: boolean; done: Promise<void> }>()
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = {
    name: 'transcribe voice notes',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#parts.dueChecks.runIfAny(store.ownCheck(this.#parts.gateways.alive), () => this.poll()),
  }

  constructor(parts: UntranscribedMessagesParts) {
    this.#parts = parts
  }

  async stop() {
    this.#stopping.abort()
    await Promise.all(this.#runs.values().map(({ done }) => done))
  }

  /** In the transaction that marks the message as read. Without `mediaId` it waits behind a voice note. */
  async keep(tx: Transaction, message: Received, mediaId: string | null) {
    await store.insertMessage(tx, message, mediaId, this.#parts.gateways.id)
    tx.afterCommit(() => this.#take(message))
  }

  /** Whether the contact sent a voice note before that is not transcribed yet. */
  isBehind(tx: Transaction, message: Received): Promise<boolean> {
    return store.isAny(tx, message)
  }

  /** For what a gateway that died has left, and for what came at the moment in which a run ended. */
  async poll() {
    const { database, gateways } = this.#parts
    for (const key of await store.listOwn(database, gateways.alive)) this.#take(key)
  }

  #take({ org, env, number, contact }: store.ConversationKey) {
    const id = `${org} ${env} ${number} ${contact}`
    const run = this.#runs.get(id)
    if (run) run.isMore = true
    else if (!this.#stopping.signal.aborted) {
      const begun = { isMore: true, done: Promise.resolve() }
      this.#runs.set(id, begun)
      begun.done = this.#takeAll({ org, env, number, contact }, begun).finally(() => this.#runs.delete(id))
    }
  }

  async #takeAll(key: store.ConversationKey, run: { isMore: boolean }) {
    const { database, gateways, logger } = this.#parts
    try {
      while (run.isMore && !this.#stopping.signal.aborted) {
        run.isMore = false
        const head = await store.claimHead(database, key, gateways.alive)
        if (!head) continue
        run.isMore = true
        if (await this.#isDue(head)) await this.#handOn(head)
      }
    } catch (error) {
      if (!(error instanceof Lost)) logger.warn({ err: error }, 'voice notes are transcribed later')
    }
  }

  async #isDue({ retry_at }: store.Head): Promise<boolean> {
    const leftMs = retry_at === null ? 0 : Date.parse(retry_at) - this.#parts.clock.now().getTime()
    if (leftMs <= 0) return true
    const ms = Math.min(leftMs, secondMs)
    await pause(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
    return false
  }

  async #handOn(head: store.Head) {
    const { clock, voiceNotes } = this.#parts
    const { received, mediaId } = head
    const isOld = clock.now().getTime() - received.sentAt.getTime() > dayMs
    if (mediaId === null || isOld) return this.#put(head, received)
    try {
      const { text, pay } = await voiceNotes.transcribe(received, mediaId)
      if (text === '') await this.#drop(head, pay)
      else await this.#put(head, { ...received, text }, pay)
    } catch (error) {
      if (error instanceof Lost) throw error
      await this.#failed(head, error)
    }
  }

  async #put({ ordinal }: store.Head, message: Received, pay = async (_tx: Transaction) => {}) {
    await this.#parts.receiver.receive(message, async (tx) => {
      await this.#remove(tx, ordinal)
      await pay(tx)
    })
  }

  /** A voice note without speech: there is nothing to answer. */
  async #drop({ ordinal, received }: store.Head, pay: (tx: Transaction) => Promise<void>) {
    const { database, receiver, logger } = this.#parts
    await database.transaction(async (tx) => {
      await this.#remove(tx, ordinal)
      await pay(tx)
    })
    await receiver
      .show({ ...received, type: 'audio', text: '' })
      .catch((error: unknown) => logger.warn({ err: error }, 'a voice note could not be shown to the app'))
  }

  async #remove(tx: Transaction, ordinal: number) {
    if (!(await store.removeMessage(tx, ordinal, this.#parts.gateways.id))) throw new Lost()
  }

  async #failed(head: store.Head, error: unknown) {
    const { database, clock, logger } = this.#parts
    const attempts = head.attempts + 1
    logger.warn({ err: error, attempts }, 'a voice note could not be transcribed')
    if (attempts < mostAttempts) {
      const pauseMs = secondMs * 2 * 4 ** head.attempts
      await store.retryAt(database, head.ordinal, later(clock.now(), pauseMs))
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    const failure = `the voice note could not be transcribed: ${reason}`.slice(0, longestReason)
    await this.#put(head, { ...head.received, text: notTranscribed, failure })
  }
}
