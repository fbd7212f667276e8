import type { EventFrame } from '@switchroom/contract/call-frames'
import type { Entry } from '@switchroom/contract/log'

/** What stays between the gateway and whoever runs the call. */
const untold: ReadonlySet<string> = new Set(['metrics', 'tool.result', 'say.requested'])
const starts: ReadonlySet<string> = new Set(['chat.started', 'call.started', 'msgapp.started'])

export const isStart = (type: string) => starts.has(type)

/** Whether the app is told the whole Call with it. */
export const carriesCall = (type: string) => isStart(type) || type === 'call.ended'

/** Who would be told. */
export interface Listener {
  /** The app's process. */
  instance: string
  wantsAudioMetrics: boolean
}

/** An entry as the app that drives the call is told of it; undefined where it is not. */
export function eventOf(entry: Entry, listener: Listener): EventFrame | undefined {
  const { type, agent, call } = entry
  if (untold.has(type)) return undefined
  if (type === 'audio.metrics' && !listener.wantsAudioMetrics) return undefined
  if (type !== 'llm.toolCall') return { type, agent, call, data: entry.data }
  // Another app may have begun to run the tool, and it must not run twice.
  const { app = listener.instance } = entry.data
  return app === listener.instance ? toolCallOf(entry) : undefined
}

/** A tool call as an app is asked, without what was written beside it for whoever runs the call. */
export const toolCallOf = ({ type, agent, call, data }: Entry): EventFrame => ({
  type,
  agent,
  call,
  data: { msgId: data['msgId'], toolCalls: data['toolCalls'] },
})
