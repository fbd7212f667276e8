import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Agent } from './agent.ts'

const pingEveryMs = 30_000
/** A reader that is slower than this is disconnected. */
const mostUnreadBytes = 1024 * 1024

export interface Relay {
  /** Answers a request with what happens from now on, as server-sent events. Authenticate the request before you call it. */
  handler: (request: IncomingMessage, response: ServerResponse) => void
  close: () => void
}

/** What happens in the calls of this process: no cursor, no replay. For those, read the call's log at the gateway. */
export function relay(agents: readonly Agent[]): Relay {
  const readers = new Set<ServerResponse>()
  const tell = (text: string) => {
    for (const reader of readers) {
      reader.write(text)
      if (reader.writableLength > mostUnreadBytes) reader.destroy()
    }
  }
  const stops = agents.map((agent) =>
    agent.witness((event, call, payload) => {
      const data = JSON.stringify({ ...payload, agent: agent.name, call })
      tell(`event: ${event}\ndata: ${data}\n\n`)
    }),
  )
  const pings = setInterval(() => tell(':ping\n\n'), pingEveryMs).unref()
  return {
    handler(_request, response) {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      response.flushHeaders()
      readers.add(response)
      response.once('close', () => readers.delete(response))
    },
    close() {
      clearInterval(pings)
      for (const stop of stops) stop()
      for (const reader of readers) reader.end()
    },
  }
}
