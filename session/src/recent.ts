import type { Message } from '@switchroom/kit/vendor'

/** About a quarter as many tokens: room in the window of any model that can hold a conversation. */
const mostCharacters = 100_000

/** The end of a long conversation, from something that the user said on; a short one is whole. */
export function recentOf(messages: readonly Message[], most = mostCharacters): readonly Message[] {
  let left = most
  let start = messages.length
  for (const [at, message] of [...messages.entries()].toReversed()) {
    left -= sizeOf(message)
    if (left < 0) break
    if (message.role === 'user' || at === 0) start = at
  }
  // what the user asks now is never left out, however long it is
  return messages.slice(Math.min(start, Math.max(0, lastUserTurn(messages))))
}

const lastUserTurn = (messages: readonly Message[]) => messages.findLastIndex(({ role }) => role === 'user')

function sizeOf(message: Message): number {
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  return message.text.length + calls.reduce((sum, call) => sum + call.arguments.length, 0)
}
