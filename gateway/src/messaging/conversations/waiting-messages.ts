import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Agents } from '../../agents/agents.ts'
import type { ConnectedApps, Holding } from '../../agents/apps/connected-apps.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Log } from '../../calls/log/log.ts'
import { agentLog } from '../../calls/log/entries.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { DueChecks } from '../../database/due-checks.ts'
import { dayMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { Received } from '../platform/received.ts'
import type { ConversationCalls } from './conversation-calls.ts'
import * as store from './waiting-messages.store.ts'

const pollEveryMs = 5 * secondMs

export interface WaitingMessagesParts {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  agents: Agents
  connectedApps: Pick<ConnectedApps, 'appFor'>
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  dueChecks: DueChecks
  conversationCalls: ConversationCalls
}

/** Messages that came while no app held their agent: taken oldest first once one does. */
export class WaitingMessages {
  readonly #parts: WaitingMessagesParts
  /** The agents whose messages are being taken, and whether there may be more by now. */
  readonly #runs = new Map<string, { isMore: boolean; done: Promise<void> }>()
  readonly task: PeriodicTask = {
    name: 'take waiting messages',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () =>
      this.#parts.dueChecks.runIfAny(store.takeableCheck(this.#parts.gateways.alive), () => this.poll()),
  }
  #isStopped = false

  constructor(parts: WaitingMessagesParts) {
    this.#parts = parts
  }

  async stop() {
    this.#isStopped = true
    await Promise.all(this.#runs.values().map(({ done }) => done))
  }

  /** A person's app serves its own copy of the agent, which no contact writes to. */
  held({ socket: { org, env, holder }, agent }: Holding) {
    if (holder === '') this.take({ org, env, agent })
  }

  async isHeld({ org, env, agent }: store.WaitedFor): Promise<boolean> {
    return (await this.#parts.connectedApps.appFor({ org, env, agent, holder: '' })) !== null
  }

  /** The platform takes no answer to older messages. */
  isTooOld({ sentAt }: Pick<Received, 'sentAt'>): boolean {
    return sentAt <= later(this.#parts.clock.now(), -dayMs)
  }

  /** Whether an older message of the same conversation waits, so that this one must wait behind it. */
  isBehind(tx: Transaction, message: Received): Promise<boolean> {
    return store.isAnyWaiting(tx, message)
  }

  /** On the agent's own log and on the queue, which is its index, or on neither. */
  async keep(tx: Transaction, message: Received) {
    const { number, contact, name, messageId, type, text, sentAt } = message
    const data = { number, contact, name, messageId, type, text, sentAt: sentAt.getTime() }
    const { agents, log } = this.#parts
    await agents.lockForContact(tx, message.org, message.agent) // a number may lead to an agent that no app has declared yet
    await log.appendIn(tx, agentLog(message), [{ type: 'message.waiting', data }])
    await store.insertWaiting(tx, message)
  }

  /** Beside whatever is under way; once at a time for one agent. */
  take(agent: store.WaitedFor) {
    const { id } = agentLog(agent)
    const run = this.#runs.get(id)
    if (run) run.isMore = true
    else if (!this.#isStopped) {
      const begun = { isMore: true, done: Promise.resolve() }
      this.#runs.set(id, begun)
      begun.done = this.#takeAll(agent, begun).finally(() => this.#runs.delete(id))
    }
  }

  /** For what no connecting app announced: a message kept at that moment, or a queue whose gateway died. */
  async poll() {
    const { database, gateways } = this.#parts
    for (const agent of await store.listTakeable(database, gateways.alive)) this.take(agent)
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    const { clock, logger } = this.#parts
    const dropped = await store.dropOlder(database, later(clock.now(), -dayMs))
    if (dropped.length > 0) logger.info({ messages: dropped.length }, tooOld)
  }

  async #takeAll(agent: store.WaitedFor, run: { isMore: boolean }) {
    const { database, logger } = this.#parts
    try {
      while (run.isMore && !this.#isStopped && (await this.isHeld(agent))) {
        run.isMore = false
        if (await database.transaction((tx) => this.#takeNext(tx, agent))) run.isMore = true
      }
    } catch (error) {
      const isRefused = error instanceof Refusal // the org runs as many calls as it may
      logger[isRefused ? 'info' : 'warn']({ err: error, agent: agent.agent }, 'messages wait longer')
    }
  }

  /** Whether there was one. */
  async #takeNext(tx: Transaction, agent: store.WaitedFor): Promise<boolean> {
    const { log, logger, conversationCalls } = this.#parts
    const message = await store.takeOldest(tx, agent)
    if (!message) return false
    if (this.isTooOld(message)) {
      tx.afterCommit(() => logger.info({ messages: 1 }, tooOld))
      return true
    }
    const call = await conversationCalls.put(tx, message, await conversationCalls.lock(tx, message))
    const data = { messageId: message.messageId, call }
    await log.appendIn(tx, agentLog(agent), [{ type: 'message.taken', data }])
    return true
  }
}

const tooOld = 'messages waited for a day and were dropped'
