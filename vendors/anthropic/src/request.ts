import { systemTextOf, turnsOf } from '@switchroom/kit/turns'
import type { Conversation, Message, Tool } from '@switchroom/kit/vendor'

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string }

export function requestOf({ messages, tools }: Conversation) {
  const system = systemTextOf(messages)
  return {
    ...(system && { system }),
    messages: turnsOf(messages, blocksOf).map(({ by, parts }) => ({ role: by, content: parts })),
    ...toolsOf(tools ?? [], messages),
  }
}

/** A conversation in which tools were used is taken only with their definitions, also when none is offered now. */
function toolsOf(tools: readonly Tool[], messages: readonly Message[]) {
  if (tools.length > 0)
    return {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }
  const used = messages.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []))
  if (used.length === 0) return {}
  const names = [...new Set(used.map(({ name }) => name))]
  return {
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  }
}

function blocksOf(message: Message): Block[] {
  if (message.role === 'tool')
    return [{ type: 'tool_result', tool_use_id: idOf(message.call), content: message.text }]
  const said: Block[] = message.text.trim() === '' ? [] : [{ type: 'text', text: message.text }]
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  return [
    ...said,
    ...calls.map(({ id, name, arguments: given }): Block => {
      return { type: 'tool_use', id: idOf(id), name, input: JSON.parse(given) }
    }),
  ]
}

/** Calls of another vendor may be in the conversation, and only these letters are taken. */
const idOf = (call: string) => call.replaceAll(/[^\w-]/g, '_')
