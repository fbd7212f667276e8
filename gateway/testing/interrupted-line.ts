import type { Socket } from 'node:net'
import { closeTogether, pipeBoth, startPostgresProxy } from './postgres-proxy.ts'

/** A way to a PostgreSQL that can be interrupted, as when its server is down. */
export interface InterruptedLine extends Disposable {
  /** The address of the same database, over this way. */
  url: string
  /** Ends every connection, and every new one at once, until `resume`. */
  interrupt: () => void
  resume: () => void
}

export async function interruptedLine(databaseUrl: string): Promise<InterruptedLine> {
  const open = new Set<Socket>()
  let isInterrupted = false
  const { url, close } = await startPostgresProxy(databaseUrl, (client, server) => {
    closeTogether(client, server)
    if (isInterrupted) {
      client.destroy()
      return
    }
    open.add(client)
    client.on('close', () => open.delete(client))
    pipeBoth(client, server)
  })
  return {
    url,
    interrupt() {
      isInterrupted = true
      for (const client of open) client.destroy()
    },
    resume() {
      isInterrupted = false
    },
    [Symbol.dispose]: close,
  }
}
