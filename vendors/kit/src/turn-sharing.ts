const turnMs = 5

let turnBegan = 0
let isTurnRunning = false

/**
 * What must be awaited before taking the next piece of a vendor: nothing, until all vendors together have kept
 * this turn of the event loop for long enough; then everybody else comes first.
 */
export function shareTurn(): Promise<void> | undefined {
  if (!isTurnRunning) {
    isTurnRunning = true
    turnBegan = performance.now()
    setImmediate(() => (isTurnRunning = false))
  }
  if (performance.now() - turnBegan < turnMs) return undefined
  return new Promise((resolve) => void setImmediate(resolve))
}
