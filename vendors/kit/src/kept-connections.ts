/** Where Node has what `fetch` sends its requests with, as undici's `setGlobalDispatcher` does. */
const place = Symbol.for('undici.globalDispatcher.1')

type Dispatcher = new (options: { keepAliveTimeout: number }) => object

/**
 * Connections that `fetch` has opened stay open for so long while nothing is asked, instead of 4 seconds: a caller
 * speaks for longer than that, and the next answer would wait until model and voice have shaken hands again.
 */
export function keepConnections(forMs: number): boolean {
  const holder = globalThis as unknown as Record<symbol, object | undefined>
  void Response // loads it
  const usual = holder[place]
  if (!usual) return false
  holder[place] = new (usual.constructor as Dispatcher)({ keepAliveTimeout: forMs })
  return true
}

const resets = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Whether a vendor closed a kept connection at the moment of the request, which it has not read then. */
export function isReset(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {}
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && resets.has(code)
}
