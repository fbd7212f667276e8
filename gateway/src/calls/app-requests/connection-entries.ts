import type { Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { Holding } from '../../agents/apps/connected-apps.ts'
import type { Database } from '../../database/database.ts'
import type { Log } from '../log/log.ts'
import { agentLog } from '../log/entries.ts'

interface ConnectedAgent {
  org: string
  env: Environment
  agent: string
  app: string
}

/** Logs in an agent's own log which app connected and disconnected, without delaying the app. */
export class ConnectionEntries {
  readonly #database: Database
  readonly #log: Log
  readonly #logger: Logger
  #writing: Promise<void> = Promise.resolve()

  constructor(database: Database, log: Log, logger: Logger) {
    this.#database = database
    this.#log = log
    this.#logger = logger
  }

  appConnected({ socket, agent, app, isNew }: Holding) {
    if (isNew) this.#write('agent.held', { ...socket, agent, app })
  }

  appsDisconnected(holdings: readonly Holding[]) {
    this.lost(holdings.map(({ socket, agent, app }) => ({ ...socket, agent, app })))
  }

  /** The apps of a gateway that died. */
  lost(holdings: readonly ConnectedAgent[]) {
    for (const agent of holdings) this.#write('agent.released', agent)
  }

  /** Resolves once everything so far is handed to the log. */
  settled(): Promise<void> {
    return this.#writing
  }

  /** In sequence, so that no app is logged as released before it is logged as held. */
  #write(type: string, agent: ConnectedAgent) {
    this.#writing = this.#writing
      .then(() => this.#append(type, agent))
      .catch((error: unknown) => this.#warn(error))
  }

  async #append(type: string, { app, ...agent }: ConnectedAgent) {
    const log = agentLog(agent)
    await this.#log.open(this.#database, log)
    // not awaited, so that many are written together
    this.#log.append(log, [{ type, data: { app } }]).catch((error: unknown) => this.#warn(error))
  }

  #warn(error: unknown) {
    this.#logger.warn({ err: error }, "an app's connection is missing in the agent's log")
  }
}
