/** Deletes some at a time, so that nobody waits for long, until none are left or it is stopped; answers how many. */
export async function inBatches(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<number> {
  let gone = 0
  while (!signal.aborted) {
    const some = await deleteSome()
    if (some === 0) break
    gone += some
  }
  return gone
}
