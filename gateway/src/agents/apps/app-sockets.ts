import type { WebSocket } from '@fastify/websocket'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Access } from '../../http/access.ts'
import { keepAlive, type PingTimes } from '../../http/keep-alive.ts'
import { AppSocket, type AppSocketParts } from './app-socket.ts'
import type { Holding } from './connected-apps.ts'

export const appBeats: PingTimes = { pingEveryMs: 20 * secondMs, goneAfterMs: 45 * secondMs }

export interface AppSocketsParts extends Omit<AppSocketParts, 'onGone'> {
  beats: PingTimes
  /** Called with sockets that are no longer listed, after what they held was released. */
  onGone: (ids: readonly string[]) => void
}

/** The apps whose sockets are on this gateway. */
export class AppSockets {
  readonly #parts: AppSocketsParts
  readonly #open = new Map<string, AppSocket>()
  /** Gone with what they held, and still listed. */
  readonly #gone = new Map<string, readonly Holding[]>()
  #forgetting: Promise<void> | undefined

  constructor(parts: AppSocketsParts) {
    this.#parts = parts
  }

  serve(socket: WebSocket, caller: Caller, access: Access) {
    keepAlive(socket, this.#parts.beats)
    const onGone = (id: string, held: readonly Holding[]) => this.#forget(id, held)
    const app = new AppSocket(socket, caller, access, { ...this.#parts, onGone })
    this.#open.set(app.id, app)
    this.#parts.logger.info({ socket: app.id, env: caller.env }, 'an app connected')
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  acknowledges(id: string): boolean {
    return this.#open.get(id)?.acknowledges === true
  }

  /** Whether the socket is on this gateway, and the frame on its way to it. */
  send(id: string, frame: object): boolean {
    return this.#open.get(id)?.send(frame) ?? false
  }

  /** Apps connect and register again on a gateway that the others know. */
  sendAway() {
    for (const app of this.#open.values()) app.close(1012, 'this gateway was taken for dead: connect again')
  }

  /** Those that went while the database did not answer are tried again. */
  deleteExpired(): Promise<void> {
    return (this.#forgetting ??= this.#forgetAll().finally(() => (this.#forgetting = undefined)))
  }

  #forget(id: string, held: readonly Holding[]) {
    this.#open.delete(id)
    this.#gone.set(id, held)
    this.#parts.logger.info({ socket: id }, 'an app is gone')
    void this.deleteExpired()
  }

  /** Sockets that went at the same time are deleted together. */
  async #forgetAll() {
    try {
      while (this.#gone.size > 0) {
        const gone = [...this.#gone]
        const ids = gone.map(([id]) => id)
        await this.#parts.connectedApps.disconnect(ids)
        for (const id of ids) this.#gone.delete(id)
        this.#parts.onReleased(gone.flatMap(([, held]) => held))
        this.#parts.onGone(ids)
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'apps that are gone are still listed')
    }
  }
}
