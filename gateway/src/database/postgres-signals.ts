import type { Logger } from 'pino'
import type { DirectConnection } from './direct-connection.ts'
import { NoticeQueue, type Notice } from './notice-queue.ts'
import type { Hear, Signals } from './signals.ts'

const notify =
  'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as sent (channel, payload)'

/** Notices of PostgreSQL, heard and sent on the gateway's own connection. */
export class PostgresSignals implements Signals {
  readonly #direct: DirectConnection
  readonly #queue: NoticeQueue
  /** Without its connection a gateway is not ready at all. */
  readonly whyDegraded = undefined

  constructor(direct: DirectConnection, logger: Logger) {
    this.#direct = direct
    this.#queue = new NoticeQueue(logger, (notices) => this.#send(notices))
  }

  on(channel: string, hear: Hear, onMissed?: () => void) {
    this.#queue.on(channel, hear)
    if (onMissed) this.#direct.onReopened(onMissed)
  }

  send(channel: string, payload = '') {
    this.#queue.add(channel, payload)
  }

  /** Before that of the connection, which then listens. */
  async start() {
    this.#direct.listen(this.#queue.channels, (channel, payload, isOwn) => {
      if (!isOwn) this.#queue.heard(channel, payload)
    })
  }

  async stop() {
    await this.#queue.settled()
  }

  async #send(notices: readonly Notice[]) {
    if (!this.#direct.isOpen) return // gateways catch up without
    const channels = notices.map(({ channel }) => channel)
    const payloads = notices.map(({ payload }) => payload)
    await this.#direct.query('notify', notify, [channels, payloads])
  }
}
