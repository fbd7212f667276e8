/** The first is up to this long, each of the others a tenth longer than the one before it. */
const shortestMs = 50
const ratio = 1.1
/** The last also has what lies above it, which is over a minute and a half. */
export const waitCount = 80

/** Which of the waits an answer that was heard after so long counts among. */
export const waitOf = (ms: number): number =>
  Math.min(waitCount - 1, Math.max(0, Math.ceil(Math.log(Math.max(1, ms) / shortestMs) / Math.log(ratio))))

/** The wait that this share of the answers was not longer than, within a twentieth; null without answers. */
export function waitAt(share: number, heard: readonly number[]): number | null {
  const all = heard.reduce((sum, count) => sum + count, 0)
  if (all === 0) return null
  let within = 0
  const at = heard.findIndex((count) => (within += count) >= share * all)
  return Math.round(shortestMs * ratio ** (at - 0.5))
}
