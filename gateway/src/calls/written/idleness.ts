import type { NewEntry } from '@switchroom/contract/log'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'
import type { CallState } from './standing.ts'

/** Idle timeout of a conversation on the messaging channel. */
const conversationIdleMs = 2 * hourMs

/** What is written of such a conversation once it has been idle for so long; no warning comes before. */
export const quietEntries = ({ activeAt }: Pick<CallState, 'activeAt'>, now: Date): NewEntry[] =>
  now.getTime() - activeAt * secondMs < conversationIdleMs
    ? []
    : [{ type: 'call.ended', data: { reason: 'timeout' } }]

/** What is written of a call that has been quiet for so long; nothing while it has not. */
export function idleEntries(
  { activeAt, isWarned }: Pick<CallState, 'activeAt' | 'isWarned'>,
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
