import type { Call, LineTurn, Transport } from '@switchroom/contract/log'
import { reasonForAgents } from '../log/end-reason.ts'
import { isTestCall } from '../log/test-call-ids.ts'

/** The call record as agents receive it. */
export interface CallRow {
  id: string
  agent: string
  channel: string
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  metadata: Record<string, unknown>
  language: string | null
  extension: string | null
  routed_from: string | null
  line_transcript: LineTurn[]
  opened_at: string
  ended_at: string | null
  reason: string | null
}

/** The columns of `calls c` that `callOf` reads. */
export const callColumns = `c.id, c.agent, c.channel, c.direction, c.caller, c.called, c.metadata, c.language,
  c.extension, c.routed_from, c.line_transcript, c.opened_at, c.ended_at, c.reason`

/** The channel in the word that agents use. */
export const transportOf = (channel: string) => (channel === 'web' ? 'webrtc' : channel) as Transport

export function callOf(row: CallRow): Call {
  const startedAt = Date.parse(row.opened_at)
  const endedAt = row.ended_at === null ? undefined : Date.parse(row.ended_at)
  return {
    id: row.id,
    agent: row.agent,
    from: row.caller,
    to: row.called,
    direction: row.direction,
    transport: transportOf(row.channel),
    metadata: row.metadata,
    language: row.language,
    extension: row.extension,
    routedFrom: row.routed_from,
    lineTranscript: row.line_transcript,
    startedAt,
    ...(isTestCall(row.id) && { test: true as const }),
    ...(endedAt !== undefined && {
      endedAt,
      duration: (endedAt - startedAt) / 1000,
      reason: reasonForAgents(row.reason),
    }),
  }
}
