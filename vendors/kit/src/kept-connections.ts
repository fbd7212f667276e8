import type { Socket } from 'node:net'
import { ConnectionsAhead } from './connections-ahead.ts'
import { dial, nameOf, placeOf, type Place } from './dialling.ts'
import { countAsKept } from './stale-requests.ts'

/** Where Node has what `fetch` sends its requests with, as undici's `setGlobalDispatcher` does. */
const place = Symbol.for('undici.globalDispatcher.1')

const dialMs = 10_000

interface Dispatcher {
  /** Of the connections to each origin. */
  readonly stats: Readonly<Record<string, { free?: number } | undefined>>
}

interface Options {
  keepAliveTimeout: number
  connect: (to: Place, done: Done) => void
}

type Done = (error: Error | null, socket: Socket | null) => void

type NewDispatcher = new (options: Options) => Dispatcher

const holder = globalThis as unknown as Record<symbol, object | undefined>

let kept: { dispatcher: Dispatcher; ahead: ConnectionsAhead } | undefined

/**
 * Connections that `fetch` has opened stay open for so long while nothing is asked, instead of 4 seconds: a caller
 * speaks for longer than that, and the next answer would wait until model and voice have shaken hands again.
 */
export function keepConnections(forMs: number): boolean {
  void Response // loads it
  const usual = holder[place]
  if (!usual) return false
  const ahead = new ConnectionsAhead(forMs)
  const dispatcher = new (usual.constructor as NewDispatcher)({
    keepAliveTimeout: forMs,
    connect: (to, done) => void connect(to, ahead, done),
  })
  holder[place] = dispatcher
  kept = { dispatcher, ahead }
  return true
}

async function connect(to: Place, ahead: ConnectionsAhead, done: Done): Promise<void> {
  let socket: Socket
  try {
    socket = await connectionTo(to, ahead)
  } catch (error) {
    done(error as Error, null) // of `dial`
    return
  }
  done(null, socket)
}

async function connectionTo(to: Place, ahead: ConnectionsAhead): Promise<Socket> {
  const opened = await ahead.take(nameOf(to))
  if (!opened) return dial(to, { timeoutMs: dialMs })
  countAsKept(opened)
  return opened
}

/**
 * Opens the connection that the next request to this address will use, and asks nothing. Does nothing if one is open
 * and unused, or in a process that keeps no connections. Never fails.
 */
export async function connectAhead(address: string | URL): Promise<void> {
  const url = new URL(address)
  if (!kept || holder[place] !== kept.dispatcher || (kept.dispatcher.stats[url.origin]?.free ?? 0) > 0) return
  const to = placeOf(url)
  await kept.ahead.open(nameOf(to), () => dial(to, { timeoutMs: dialMs }))
}
