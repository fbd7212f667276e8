export type EndpointForm = 'openai' | 'azure'

export interface EndpointRequest {
  model?: string
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  [field: string]: unknown
}

/** What an endpoint answers: words, then calls of tools; or an error. */
export type EndpointReply =
  | { text: readonly string[]; calls?: readonly EndpointCall[] }
  | { status: number; error: object }

export interface EndpointCall {
  id: string
  name: string
  arguments: string
}

export type Answered = Exclude<EndpointReply, { status: number }>

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const head = { id: 'chatcmpl-1', created: 1_790_000_000 }

/** The chunks of a streamed chat completion; Azure first says what its filters made of the prompt. */
export function chatChunks(
  { model, stream_options }: EndpointRequest,
  { text, calls = [] }: Answered,
  form: EndpointForm,
): object[] {
  const chunk = (choices: object[], more: object = {}) => {
    return { ...head, object: 'chat.completion.chunk', model, choices, ...more }
  }
  const delta = (said: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: said, finish_reason, logprobs: null }])
  return [
    ...(form === 'azure' ? [chunk([], { prompt_filter_results: [{ prompt_index: 0 }] })] : []),
    delta({ role: 'assistant', content: '' }),
    ...text.map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, arguments: given }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...[given.slice(0, 4), given.slice(4)].map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(stream_options?.include_usage ? [chunk([], { usage })] : []),
  ]
}

/** The same for a client that does not stream. */
export function wholeChat({ model }: EndpointRequest, { text, calls = [] }: Answered): object {
  const tool_calls = calls.map(({ id, name, arguments: given }) => {
    return { id, type: 'function', function: { name, arguments: given } }
  })
  const message = { role: 'assistant', content: text.join('') || null, refusal: null }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const said = { ...message, ...(calls.length > 0 && { tool_calls }) }
  return {
    ...head,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: said, finish_reason }],
    usage,
  }
}
