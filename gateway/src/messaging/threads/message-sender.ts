import { longestMessage, type WriteToThread, type WrittenToThread } from '@switchroom/contract/threads'
import type { Log } from '../../calls/log/log.ts'
import { quietEntries } from '../../calls/written/idleness.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, type Clock } from '../../foundation/clock.ts'
import { conflict, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import { isKnown, type ThreadAgent } from './threads.store.ts'
import { threadAgentOf, unknownThread, waitingAt } from './threads.ts'
import * as store from './message-sender.store.ts'

export interface MessageSenderParts {
  database: Database
  clock: Clock
  log: Log
}

/** Messages that people send to a contact as the agent. They take nothing over: the model answers what comes next. */
export class MessageSender {
  readonly #parts: MessageSenderParts

  constructor(parts: MessageSenderParts) {
    this.#parts = parts
  }

  async send(
    caller: Caller,
    agent: string,
    contact: string,
    { text }: WriteToThread,
  ): Promise<WrittenToThread> {
    if (text.trim() === '' || codePoints(text).length > longestMessage)
      throw unprocessable(`text: must be 1 to ${longestMessage} characters, and not all of them blank`)
    const { database, log } = this.#parts
    const of = threadAgentOf(caller, agent)
    return database.transaction(async (tx) => {
      const id = await this.#conversation(tx, of, contact)
      const held = await log.lock(tx, id)
      const state = await store.readThreadState(tx, id)
      if (!held || held.sealed || !state || this.#isOver(state))
        throw conflict(
          `the conversation with ${contact} has ended: send a template, or wait until they write`,
        )
      if (later(this.#parts.clock.now(), -dayMs) >= new Date(state.wrote_at ?? 0))
        throw conflict(
          `${contact} last wrote 24 hours ago or longer: send an approved template, or wait until they write`,
        )
      const data = { text, messageId: newId('msg', 12), source: 'human', by: caller.subject || caller.label }
      await log.appendIn(tx, held, [{ type: 'agent.message', data }])
      return { contact, call: id }
    })
  }

  /** Whether it timed out, even if no gateway has ended it yet. */
  #isOver({ active_at }: store.ThreadState): boolean {
    return quietEntries({ activeAt: active_at }, this.#parts.clock.now()).length > 0
  }

  /** The call to write to: only the contact's newest one can be continued. */
  async #conversation(tx: Transaction, of: ThreadAgent, contact: string): Promise<string> {
    const newest = await store.findNewest(tx, of, contact)
    if (newest?.channel === 'msgapp') return newest.id
    if (newest)
      throw conflict(
        `the newest call with ${contact} is by ${newest.channel}, not by message: send a template, or wait until they write`,
      )
    if (!(await isKnown(tx, of, contact, waitingAt(this.#parts.clock.now()))))
      throw unknownThread(of.agent, contact)
    throw conflict(
      `there is no conversation with ${contact} yet: what they wrote waits for an app that holds ${of.agent}`,
    )
  }
}
