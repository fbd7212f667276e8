import type { EventFrame } from '@switchroom/contract/call-frames'
import type { Entry } from '@switchroom/contract/log'
import { reasonForAgents } from '../log/end-reason.ts'

/** Entries between the gateway and the call's runner that apps never receive. */
const internalTypes: ReadonlySet<string> = new Set([
  'metrics',
  'tool.result',
  'say.requested',
  'transfer.requested',
  'tones.requested',
  'reconnect.requested',
  'hangup.requested',
  'recording.started',
  'recording.stored',
])
const starts: ReadonlySet<string> = new Set(['chat.started', 'call.started', 'msgapp.started'])

export const isStart = (type: string) => starts.has(type)

/** Whether the app receives the whole Call with it. */
export const carriesCall = (type: string) => isStart(type) || type === 'call.ended'

/** The app that receives a call's events. */
export interface EventRecipient {
  /** The app's process. */
  instance: string
  wantsAudioMetrics: boolean
  /** The contact of a messaging call; null for other calls. */
  contact: string | null
}

/** The event that the app receives for an entry; undefined if it receives none. */
export function eventOf(entry: Entry, recipient: EventRecipient): EventFrame | undefined {
  const { type, agent, call } = entry
  if (internalTypes.has(type)) return undefined
  if (type === 'audio.metrics' && !recipient.wantsAudioMetrics) return undefined
  if (type === 'user.message' && recipient.contact !== null) {
    const { text, messageId } = entry.data
    return { type, agent, call, data: { text, messageId } }
  }
  if (type === 'call.ended')
    return { type, agent, call, data: { ...entry.data, reason: reasonForAgents(entry.data['reason']) } }
  if (type !== 'llm.toolCall') return { type, agent, call, data: entry.data }
  // Another app may have begun to run the tool, and it must not run twice.
  const { app = recipient.instance } = entry.data
  return app === recipient.instance ? toolCallOf(entry) : undefined
}

/** The extra event for a turn of a messaging call; undefined for anything else. */
export function messagingEventOf({ type, agent, call, data }: Entry, contact: string | null) {
  if (contact === null) return undefined
  const { text, messageId, name, type: form, paused, source, reply } = data
  if (type === 'user.message') {
    const came = { sessionId: call, from: contact, name: name ?? '', type: form, text, messageId, paused }
    return { type: 'msgapp.message', agent, call, data: reply === undefined ? came : { ...came, reply } }
  }
  if (type !== 'agent.message') return undefined
  const said = { sessionId: call, to: contact, text, ...(source === 'human' && { source }) }
  return { type: 'msgapp.response', agent, call, data: said }
}

/** A tool call as the app receives it, without the fields for the call's runner. */
export const toolCallOf = ({ type, agent, call, data }: Entry): EventFrame => ({
  type,
  agent,
  call,
  data: { msgId: data['msgId'], toolCalls: data['toolCalls'] },
})
