import type { NewEntry } from '@switchroom/contract/log'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'
import type { WrittenCallState } from './written-call-state.ts'

/** How long a conversation on the messaging channel may be silent. */
const conversationIdleMs = 2 * hourMs

/** Ends such a conversation once it has been silent that long, without a warning. */
export const quietEntries = ({ activeAt }: Pick<WrittenCallState, 'activeAt'>, now: Date): NewEntry[] =>
  now.getTime() - activeAt * secondMs < conversationIdleMs
    ? []
    : [{ type: 'call.ended', data: { reason: 'timeout' } }]

/** The warning or the end of a call that has been silent too long; empty before that. */
export function idleEntries(
  { activeAt, isWarned }: Pick<WrittenCallState, 'activeAt' | 'isWarned'>,
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
