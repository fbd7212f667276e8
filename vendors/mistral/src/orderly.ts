import { createHash } from 'node:crypto'
import { systemTextOf } from '@switchroom/kit/turns'
import type { Conversation, Message } from '@switchroom/kit/vendor'

/** The assistant's turn if the caller interrupted between a tool result and the answer. */
const unspoken: Message = { role: 'assistant', text: '…' }

/** The conversation in the one order that is taken: the system first, no caller right after a tool. */
export function orderly(conversation: Conversation): Conversation {
  const system = systemTextOf(conversation.messages)
  const spoken = conversation.messages.filter(({ role }) => role !== 'system')
  const messages = spoken.flatMap((message, index) => {
    const isCutOff = message.role === 'user' && spoken[index - 1]?.role === 'tool'
    return isCutOff ? [unspoken, message] : [withOwnIds(message)]
  })
  return { ...conversation, messages: system ? [{ role: 'system', text: system }, ...messages] : messages }
}

function withOwnIds(message: Message): Message {
  if (message.role === 'tool') return { ...message, call: ownId(message.call) }
  if (message.role !== 'assistant' || !message.calls) return message
  return { ...message, calls: message.calls.map((call) => ({ ...call, id: ownId(call.id) })) }
}

/** Calls of another vendor may be in the conversation, and only ids of this form are taken. */
const ownId = (call: string) =>
  /^[a-zA-Z0-9]{9}$/.test(call) ? call : createHash('sha256').update(call).digest('hex').slice(0, 9)
