import type { EventFrame } from '@switchroom/contract/call-frames'
import { MessagingSession, type Call } from './call.ts'

type Session = { contactPhone: string; contactName: string | null }

const callAlone = new Set(['call', 'call.started', 'chat.started', 'call.passed'])

/** The payload of an event: what the frame carries beside the Call and the session themselves. */
export function payloadOf({ data }: EventFrame): Record<string, unknown> {
  const { call, session: _apart, ...payload } = data
  return typeof call === 'string' ? { call, ...payload } : payload
}

/** What the handlers of an event are called with: `(event, call)` unless the documents say otherwise. */
export function argumentsOf(frame: EventFrame, call: Call | undefined): unknown[] {
  const { type, data } = frame
  const payload = payloadOf(frame)
  if (callAlone.has(type)) return [call]
  if (type === 'msgapp.started' && call) return [call, new MessagingSession(call, data['session'] as Session)]
  if (type === 'call.preparing') return [call, payload]
  if (type === 'call.ended') return [call, data['reason']]
  return [payload, call]
}
