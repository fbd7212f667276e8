import type { EventFrame } from '@switchroom/contract/call-frames'
import type { Entry } from '@switchroom/contract/log'
import { reasonForAgents } from '../log/end-reason.ts'

/** What stays between the gateway and whoever runs the call. */
const untold: ReadonlySet<string> = new Set([
  'metrics',
  'tool.result',
  'say.requested',
  'transfer.requested',
  'tones.requested',
  'recording.stored',
])
const starts: ReadonlySet<string> = new Set(['chat.started', 'call.started', 'msgapp.started'])

export const isStart = (type: string) => starts.has(type)

/** Whether the app is told the whole Call with it. */
export const carriesCall = (type: string) => isStart(type) || type === 'call.ended'

/** Who would be told. */
export interface Listener {
  /** The app's process. */
  instance: string
  wantsAudioMetrics: boolean
  /** Whom a messaging call is with; null where it is none. */
  contact: string | null
}

/** An entry as the app that drives the call is told of it; undefined where it is not. */
export function eventOf(entry: Entry, listener: Listener): EventFrame | undefined {
  const { type, agent, call } = entry
  if (untold.has(type)) return undefined
  if (type === 'audio.metrics' && !listener.wantsAudioMetrics) return undefined
  if (type === 'user.message' && listener.contact !== null) {
    const { text, messageId } = entry.data
    return { type, agent, call, data: { text, messageId } }
  }
  if (type === 'call.ended')
    return { type, agent, call, data: { ...entry.data, reason: reasonForAgents(entry.data['reason']) } }
  if (type !== 'llm.toolCall') return { type, agent, call, data: entry.data }
  // Another app may have begun to run the tool, and it must not run twice.
  const { app = listener.instance } = entry.data
  return app === listener.instance ? toolCallOf(entry) : undefined
}

/** A turn of a messaging call, as the app is told of it beside; undefined for anything else. */
export function messagingEventOf({ type, agent, call, data }: Entry, contact: string | null) {
  if (contact === null) return undefined
  const { text, messageId, name, type: form, paused, source } = data
  if (type === 'user.message') {
    const came = { sessionId: call, from: contact, name: name ?? '', type: form, text, messageId, paused }
    return { type: 'msgapp.message', agent, call, data: came }
  }
  if (type !== 'agent.message') return undefined
  const said = { sessionId: call, to: contact, text, ...(source === 'human' && { source }) }
  return { type: 'msgapp.response', agent, call, data: said }
}

/** A tool call as an app is asked, without what was written beside it for whoever runs the call. */
export const toolCallOf = ({ type, agent, call, data }: Entry): EventFrame => ({
  type,
  agent,
  call,
  data: { msgId: data['msgId'], toolCalls: data['toolCalls'] },
})
