import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const resets = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** How a request went out. */
interface Sending {
  socket?: Socket
  isKept?: boolean
  readBefore?: number
}

const sendings = new AsyncLocalStorage<Sending>()
const sendingOf = new WeakMap<object, Sending>()
const keptSockets = new WeakSet<Socket>()

/** From now on a request on this connection is one on a kept connection, which the vendor may be closing. */
export const countAsKept = (socket: Socket) => void keptSockets.add(socket)

subscribe('undici:request:create', (message) => {
  const sending = sendings.getStore()
  if (sending) sendingOf.set((message as { request: object }).request, sending)
})

subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: Socket }
  const sending = sendingOf.get(request)
  if (sending)
    Object.assign(sending, { socket, isKept: keptSockets.has(socket), readBefore: socket.bytesRead })
  countAsKept(socket)
})

/**
 * Sends a request with `fetch`; once more if the vendor closed a kept connection at that moment and not one byte came
 * back, because then it has not read the request. Whatever a fresh connection does, the vendor may have begun to work
 * for money.
 */
export async function sendTwiceIfStale<Answer>(
  send: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const sending: Sending = {}
  try {
    return await sendings.run(sending, send)
  } catch (error) {
    if (signal.aborted || !isReset(error) || !isUnread(sending)) throw error
    return send()
  }
}

const isUnread = ({ socket, isKept, readBefore }: Sending) =>
  isKept === true && socket?.bytesRead === readBefore

function isReset(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {}
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && resets.has(code)
}
