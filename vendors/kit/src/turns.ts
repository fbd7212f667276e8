import type { Conversation, Message } from './vendor.ts'

/** A placeholder for a caller who said nothing: many vendors want the user to have the first and the last turn. */
export const unspoken = '…'

/**
 * The same conversation, ending with the user or a tool: after a hand-over the assistant may have spoken last, or
 * the caller has said nothing yet.
 */
export function endingWithUser(conversation: Conversation): Conversation {
  const { messages } = conversation
  const last = messages.findLast(saysAnything)
  if (last?.role === 'user' || last?.role === 'tool') return conversation
  return { ...conversation, messages: [...messages, { role: 'user', text: unspoken }] }
}

/** A turn that was cut off before its first word reaches no vendor. */
function saysAnything(message: Message): boolean {
  if (message.role === 'tool') return true
  const hasCalls = message.role === 'assistant' && (message.calls?.length ?? 0) > 0
  return message.role !== 'system' && (hasCalls || message.text.trim() !== '')
}

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
