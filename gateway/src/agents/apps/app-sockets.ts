import type { WebSocket } from '@fastify/websocket'
import type { Logger } from 'pino'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Access } from '../../http/access.ts'
import { keepAlive, type Beats } from '../../http/keep-alive.ts'
import type { OpenConnections } from '../../http/open-connections.ts'
import { AppSocket } from './app-socket.ts'
import type { DeclaredModels } from './declared-models.ts'
import type { Holders } from './holders.ts'

export const appBeats: Beats = { pingEveryMs: 20 * secondMs, goneAfterMs: 45 * secondMs }

export interface AppSocketsParts {
  holders: Holders
  declaredModels: DeclaredModels
  connections: OpenConnections
  logger: Logger
  beats: Beats
}

/** The apps whose sockets are on this gateway. */
export class AppSockets {
  readonly #parts: AppSocketsParts
  readonly #open = new Map<string, AppSocket>()
  /** Gone, and still listed. */
  readonly #gone = new Set<string>()
  #forgetting: Promise<void> | undefined

  constructor(parts: AppSocketsParts) {
    this.#parts = parts
  }

  serve(socket: WebSocket, caller: Caller, access: Access) {
    keepAlive(socket, this.#parts.beats)
    const app = new AppSocket(socket, caller, access, { ...this.#parts, onGone: (id) => this.#forget(id) })
    this.#open.set(app.id, app)
    this.#parts.logger.info({ socket: app.id, env: caller.env }, 'an app connected')
  }

  /** Whether the socket is on this gateway, and the frame on its way to it. */
  send(id: string, frame: object): boolean {
    const app = this.#open.get(id)
    if (!app) return false
    app.send(frame)
    return true
  }

  /** Apps come back and register again where they are needed: on a gateway that the others know. */
  sendAway() {
    for (const app of this.#open.values()) app.close(1012, 'this gateway was taken for dead: connect again')
  }

  /** Those that went while the database did not answer are tried again. */
  forgetDead(): Promise<void> {
    return (this.#forgetting ??= this.#forgetAll().finally(() => (this.#forgetting = undefined)))
  }

  #forget(id: string) {
    this.#open.delete(id)
    this.#gone.add(id)
    this.#parts.logger.info({ socket: id }, 'an app is gone')
    void this.forgetDead()
  }

  /** Those of one instant go together. */
  async #forgetAll() {
    try {
      while (this.#gone.size > 0) {
        const gone = [...this.#gone]
        await this.#parts.holders.disconnect(gone)
        for (const id of gone) this.#gone.delete(id)
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'apps that are gone are still listed')
    }
  }
}
