import { systemTextOf, turnsOf } from '@switchroom/kit/turns'
import type { Conversation, Message, ToolCall } from '@switchroom/kit/vendor'

/** What the vendor has documented for calls that it did not make itself. */
const unsigned = 'skip_thought_signature_validator'

/** By the id of a call: without them the vendor refuses its own calls when it is shown them again. */
export type Signatures = ReadonlyMap<string, string>

type Part =
  | { text: string }
  | { functionCall: { id: string; name: string; args: unknown }; thoughtSignature?: string }
  | { functionResponse: { id: string; name: string; response: { output: string } } }

export function requestOf({ messages, tools }: Conversation, signatures: Signatures) {
  const system = systemTextOf(messages)
  const turns = turnsOf(messages, (message) => partsOf(message, signatures))
  return {
    ...(system && { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map(({ by, parts }) => ({ role: by === 'assistant' ? 'model' : 'user', parts })),
    ...(tools?.length && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
  }
}

function partsOf(message: Message, signatures: Signatures): Part[] {
  if (message.role === 'tool') {
    const { call: id, name, text } = message
    return [{ functionResponse: { id, name, response: { output: text } } }]
  }
  const said: Part[] = message.text === '' ? [] : [{ text: message.text }]
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  return [...said, ...calls.map((call, index) => partOf(call, index, signatures))]
}

/** Of calls that were made together only the first is signed. */
function partOf({ id, name, arguments: given }: ToolCall, index: number, signatures: Signatures): Part {
  const signature = signatures.get(id) ?? (index === 0 ? unsigned : undefined)
  return {
    functionCall: { id, name, args: JSON.parse(given) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  }
}
