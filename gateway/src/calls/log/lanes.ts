import type { LogRef, Writable } from './entries.ts'

const mostAtOnce = 5000
export const lanes = 4
/** Of one org: while the database writes one, the next is prepared. */
const lanesOfOrg = 2

/** Orgs are spread over the lanes; all writes to a log go through the same one. */
export const laneOf = ({ id, org }: Pick<LogRef, 'id' | 'org'>): number =>
  (hashOf(org) + (id.charCodeAt(id.length - 1) % lanesOfOrg)) % lanes

/** How many entries of each org go together, so that no org waits behind the thousands of another. */
export function shareOf(waiting: readonly Pick<Writable, 'log' | 'entries'>[]): number {
  const entries = waiting.reduce((sum, write) => sum + write.entries.length, 0)
  if (entries <= mostAtOnce) return mostAtOnce
  return Math.ceil(mostAtOnce / new Set(waiting.map(({ log }) => log.org)).size)
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0
  return hash
}
