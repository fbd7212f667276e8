import type { Entry, LineTurn } from '@switchroom/contract/log'

/** What was said on a line, as the agent that takes the call over reads it. */
export const transcriptOf = (turns: readonly Entry[]): LineTurn[] =>
  turns.map(({ type, ts, data }) => {
    const isCaller = type === 'user.message'
    const text = typeof data['text'] === 'string' ? data['text'] : ''
    return {
      who: isCaller ? 'caller' : 'line',
      text,
      at: Math.round(ts * 1000),
      role: isCaller ? 'user' : 'assistant',
      content: text,
    }
  })
