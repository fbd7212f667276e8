import type { NewEntry } from '@switchroom/contract/log'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import type { Standing } from './standing.ts'

/** What is written of a call that has been quiet for so long; nothing while it has not. */
export function idleEntries(
  { activeAt, isWarned }: Pick<Standing, 'activeAt' | 'isWarned'>,
  idleMs: number,
  now: Date,
): NewEntry[] {
  const leftMs = activeAt * secondMs + idleMs - now.getTime()
  if (leftMs <= 0)
    return [
      { type: 'session.timeout', data: { reason: 'idle_timeout' } },
      { type: 'call.ended', data: { reason: 'idle_timeout' } },
    ]
  if (isWarned || leftMs > Math.min(minuteMs, idleMs / 2)) return []
  const data = {
    remainingSeconds: Math.ceil(leftMs / secondMs),
    idleTimeoutSeconds: Math.round(idleMs / secondMs),
  }
  return [{ type: 'session.idleWarning', data }]
}
