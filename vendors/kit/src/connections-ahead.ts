import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A handshake takes less: a request waits no longer for one that began before it. */
const patienceMs = 1_000

interface Ahead {
  opened: Promise<Socket | undefined>
  startedMs: number
  /** Stops watching a connection that nobody uses yet. */
  release?: () => void
}

/** Connections that are opened before a request needs them: at most one to a place, and none for long. */
export class ConnectionsAhead {
  readonly #keptMs: number
  readonly #byPlace = new Map<string, Ahead>()

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /** Whether one is there or being opened. */
  has(place: string): boolean {
    return this.#byPlace.has(place)
  }

  /** Unless one is there or being opened. A failure is silent: the request that needs a connection reports its own. */
  async open(place: string, dial: () => Promise<Socket>): Promise<void> {
    if (this.has(place)) return
    const ahead: Ahead = { opened: dial().catch(() => undefined), startedMs: performance.now() }
    this.#byPlace.set(place, ahead)
    const socket = await ahead.opened
    if (this.#byPlace.get(place) !== ahead) return
    if (socket) this.#watch(place, ahead, socket)
    else this.#byPlace.delete(place)
  }

  #watch(place: string, ahead: Ahead, socket: Socket) {
    const close = () => socket.destroy()
    const unused = setTimeout(close, this.#keptMs).unref()
    // read, or the end is not noticed; a vendor that speaks before it is asked anything is about to close
    const read = () => void (socket.read() !== null && close())
    const forget = () => {
      ahead.release?.()
      if (this.#byPlace.get(place) === ahead) this.#byPlace.delete(place)
    }
    ahead.release = () => {
      clearTimeout(unused)
      socket.off('readable', read).off('close', forget)
    }
    socket.on('readable', read).once('close', forget)
  }

  /** The connection to a place, which is the taker's from now on; undefined if there is none that can be used now. */
  async take(place: string): Promise<Socket | undefined> {
    const ahead = this.#byPlace.get(place)
    if (!ahead) return undefined
    this.#byPlace.delete(place)
    const socket = await inTime(ahead)
    ahead.release?.()
    return socket?.destroyed || !socket?.readable ? undefined : socket
  }
}

/** One that is late is closed when it comes. */
async function inTime({ opened, startedMs }: Ahead): Promise<Socket | undefined> {
  const leftMs = Math.max(0, patienceMs - (performance.now() - startedMs))
  const late = new AbortController()
  const socket = await Promise.race([
    opened,
    sleep(leftMs, 'late' as const, { signal: late.signal }).catch(() => undefined),
  ])
  late.abort()
  if (socket !== 'late') return socket
  void opened.then((dialled) => dialled?.destroy())
  return undefined
}
