import type { Message } from './vendor.ts'

/** A placeholder for the caller if the assistant spoke first: no vendor accepts such a conversation. */
const unspoken = '…'

export interface Turn<Part> {
  by: 'assistant' | 'user'
  parts: Part[]
}

/** What is said to the model apart from the conversation. */
export const systemTextOf = (messages: readonly Message[]): string =>
  messages.flatMap(({ role, text }) => (role === 'system' && text !== '' ? [text] : [])).join('\n\n')

/** The conversation as turns that alternate, the user's first; what tools answer is the user's. */
export function turnsOf<Part>(
  messages: readonly Message[],
  partsOf: (message: Message) => Part[],
): Turn<Part>[] {
  const turns: Turn<Part>[] = []
  for (const message of messages) {
    const parts = message.role === 'system' ? [] : partsOf(message)
    const by = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (parts.length === 0) continue
    if (last?.by === by) last.parts.push(...parts)
    else turns.push({ by, parts })
  }
  if (turns[0]?.by !== 'user') turns.unshift({ by: 'user', parts: partsOf({ role: 'user', text: unspoken }) })
  return turns
}
