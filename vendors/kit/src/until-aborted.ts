/** Stops waiting when the signal aborts; what is waited for is left behind, and may fail unseen. */
export function untilAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const cancel = () => reject(signal.reason as Error)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel))
  return promise
}

/** Ends the source without waiting for it: it may never answer. */
export function abandon(iterator: AsyncIterator<unknown> | undefined) {
  new Promise((resolve) => resolve(iterator?.return?.())).catch(() => {})
}
