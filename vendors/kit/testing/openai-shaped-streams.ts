import type { ModelStreams } from './model-conformance.ts'
import { chunk, chunksOfAnswer, tool, type ChatWire } from './openai-shaped-wire.ts'

/** What a chat-completions wire sends when things go wrong. */
export function openAiShapedStreams(chat: ChatWire, more: Partial<ModelStreams> = {}): ModelStreams {
  const delta = (written: object) => chunk(chat, { delta: written, finish_reason: null })
  const ended = (finish_reason: string) => [chunk(chat, { delta: {}, finish_reason }), 'data: [DONE]\n\n']
  const begun = delta({ role: 'assistant', content: '' })
  const call = (index: number, given: string) => ({
    index,
    id: chat.ids[index],
    type: 'function',
    function: { name: tool.name, arguments: given },
  })
  const calls = [call(0, '{"order":42}'), call(1, '{"order":')]
  const cut = [
    begun,
    delta({ content: 'One moment.' }),
    ...calls.map((each) => delta({ tool_calls: [each] })),
  ]
  const thought = chat.thinksIn ? [delta(chat.thinksIn), ...ended('stop')] : ended('length')
  return {
    answered: chunksOfAnswer(chat),
    cutCall: [...cut, ...ended('length')],
    brokenCall: cut,
    thoughtOnly: [begun, ...thought],
    lastTurnOf: ({ messages }: { messages: { role: string }[] }) => messages.at(-1)?.role,
    ...more,
  }
}
