import type { Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { Holding } from '../../agents/apps/connected-apps.ts'
import type { Database } from '../../database/database.ts'
import type { Log } from '../log/log.ts'
import { agentLog } from '../log/stamping.ts'

interface HeldAgent {
  org: string
  env: Environment
  agent: string
  app: string
}

/** Writes in an agent's own log which app took it and which let go of it, beside whatever the app does next. */
export class HoldingEntries {
  readonly #database: Database
  readonly #log: Log
  readonly #logger: Logger
  #writing: Promise<void> = Promise.resolve()

  constructor(database: Database, log: Log, logger: Logger) {
    this.#database = database
    this.#log = log
    this.#logger = logger
  }

  held({ socket, agent, app, isNew }: Holding) {
    if (isNew) this.#write('agent.held', { ...socket, agent, app })
  }

  released(holdings: readonly Holding[]) {
    this.lost(holdings.map(({ socket, agent, app }) => ({ ...socket, agent, app })))
  }

  /** With a gateway that died. */
  lost(holdings: readonly HeldAgent[]) {
    for (const held of holdings) this.#write('agent.released', held)
  }

  /** When everything so far is handed to the log. */
  settled(): Promise<void> {
    return this.#writing
  }

  /** One after the other, so that nobody is seen to let go before they took. */
  #write(type: string, held: HeldAgent) {
    this.#writing = this.#writing
      .then(() => this.#append(type, held))
      .catch((error: unknown) => this.#warn(error))
  }

  async #append(type: string, { app, ...agent }: HeldAgent) {
    const log = agentLog(agent)
    await this.#log.open(this.#database, log)
    // not waited for, so that many go together
    this.#log.append(log, [{ type, data: { app } }]).catch((error: unknown) => this.#warn(error))
  }

  #warn(error: unknown) {
    this.#logger.warn({ err: error }, "which app holds an agent is missing in the agent's log")
  }
}
