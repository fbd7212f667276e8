import type { Answered, EndpointRequest } from './endpoint-chat.ts'

interface ResponseEvent {
  type: string
  [field: string]: unknown
}

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 17,
}

/** The events of a streamed response, in the API's order. */
export function responseEvents(request: EndpointRequest, { text, calls = [] }: Answered): ResponseEvent[] {
  const begun = { ...bodyOf(request), status: 'in_progress', output: [], usage: null }
  const items = [...(text.length > 0 ? [messageEvents(text)] : []), ...calls.map(callEvents)]
  const events = items.flatMap((eventsAt, output_index) => eventsAt(output_index))
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...events,
    { type: 'response.completed', response: wholeResponse(request, { text, calls }) },
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** The same for a client that does not stream. */
export function wholeResponse(request: EndpointRequest, { text, calls = [] }: Answered): object {
  const output = [...(text.length > 0 ? [message(text)] : []), ...calls.map(functionCall)]
  return { ...bodyOf(request), status: 'completed', output, usage }
}

const bodyOf = ({ model, tools = [] }: EndpointRequest) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  error: null,
  incomplete_details: null,
  instructions: null,
  model,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools,
})

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const message = (text: readonly string[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [textPart(text.join(''))],
})

type Call = NonNullable<Answered['calls']>[number]

const functionCall = ({ id, name, arguments: given }: Call) => ({
  id: `fc_${id}`,
  type: 'function_call',
  call_id: id,
  name,
  arguments: given,
  status: 'completed',
})

const messageEvents =
  (text: readonly string[]) =>
  (output_index: number): ResponseEvent[] => {
    const at = { item_id: 'msg_1', output_index, content_index: 0 }
    const whole = text.join('')
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...message(text), status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...at, part: textPart('') },
      ...text.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: whole, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: textPart(whole) },
      { type: 'response.output_item.done', output_index, item: message(text) },
    ]
  }

const callEvents =
  (call: Call) =>
  (output_index: number): ResponseEvent[] => {
    const item = functionCall(call)
    const at = { item_id: item.id, output_index }
    const { arguments: given } = call
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', arguments: '' },
      },
      ...[given.slice(0, 4), given.slice(4)].map((delta) => {
        return { type: 'response.function_call_arguments.delta', ...at, delta }
      }),
      { type: 'response.function_call_arguments.done', ...at, name: call.name, arguments: given },
      { type: 'response.output_item.done', output_index, item },
    ]
  }
