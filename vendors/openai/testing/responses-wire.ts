import assert from 'node:assert/strict'
import type { HttpAnswer, Seen } from '@switchroom/kit/testing/wire-fake'

/** What a model answers: words, then calls; or a refusal. */
export interface Answered {
  text?: string[]
  calls?: { id: string; name: string; arguments: string }[]
  refusal?: string
  /** What it thinks before it answers; an answer of nothing else has no words. */
  thinks?: boolean
}

export interface ResponsesRequest {
  model: string
  input: ({ type?: string; role?: string } & Record<string, unknown>)[]
  tools?: object[]
  stream?: boolean
  reasoning?: { effort?: string }
  temperature?: number
  text?: { verbosity?: string }
  store?: boolean
}

/** Answers as the Responses API does: every event that its own client reads, in its order. */
export async function answerResponses(
  { url, headers, body }: Seen,
  answer: HttpAnswer,
  answerTo: (request: ResponsesRequest) => Answered,
) {
  assert.equal(url.pathname, '/responses')
  assert.match(headers.authorization ?? '', /^Bearer ./)
  const request = JSON.parse(body.toString()) as ResponsesRequest
  const refusal = refusalOf(request)
  if (refusal !== null) return answer.json(refusal, 400)
  answer.start({ 'content-type': 'text/event-stream' })
  const events = eventsOf(request, answerTo(request))
  // all until the first word at once, so that a stream that breaks or floods has said something
  const first = events.findIndex(({ type }) => type.endsWith('delta')) + 1 || events.length
  const frames = events.map((event, at) => frame({ ...event, sequence_number: at }))
  for (const piece of [frames.slice(0, first).join(''), ...frames.slice(first)]) await answer.piece(piece)
  answer.end()
}

/** A model that reasons takes no temperature, and the API no request without input. */
function refusalOf({ input, temperature, reasoning }: ResponsesRequest): object | null {
  const refused = (message: string, param: string) => ({
    error: { message, type: 'invalid_request_error', param, code: 'unsupported_value' },
  })
  if (input.length === 0) return refused("Missing required parameter: 'input'.", 'input')
  if (temperature === undefined || reasoning?.effort === 'none') return null
  return refused("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature')
}

type Event = { type: string } & Record<string, unknown>

export const frame = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

function eventsOf(
  { model, tools = [] }: ResponsesRequest,
  { text = [], calls = [], refusal, thinks }: Answered,
): Event[] {
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    model,
    output: [] as object[],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools,
    usage: null as object | null,
    store: false,
  }
  const events: Event[] = [
    { type: 'response.created', response: { ...response } },
    { type: 'response.in_progress', response: { ...response } },
  ]
  const output: object[] = []
  const add = (began: object, between: (at: number) => Event[], done: object) => {
    const output_index = output.length
    events.push({ type: 'response.output_item.added', output_index, item: began })
    events.push(...between(output_index))
    events.push({ type: 'response.output_item.done', output_index, item: done })
    output.push(done)
  }
  if (thinks) {
    const item = { id: 'rs_1', type: 'reasoning', summary: [] }
    add(item, () => [], item)
  }
  if (text.length > 0 || refusal !== undefined) {
    const item = { id: 'msg_1', type: 'message', role: 'assistant' }
    const part =
      refusal === undefined
        ? { type: 'output_text', text: text.join(''), annotations: [], logprobs: [] }
        : { type: 'refusal', refusal }
    const pieces = refusal === undefined ? text : [refusal]
    const kind = refusal === undefined ? 'output_text' : 'refusal'
    const at = (output_index: number) => ({ item_id: item.id, output_index, content_index: 0 })
    add(
      { ...item, status: 'in_progress', content: [] },
      (index) => [
        {
          type: 'response.content_part.added',
          ...at(index),
          part: { ...part, ...(refusal === undefined ? { text: '' } : { refusal: '' }) },
        },
        ...pieces.map((delta) => ({ type: `response.${kind}.delta`, ...at(index), delta, logprobs: [] })),
        {
          type: `response.${kind}.done`,
          ...at(index),
          ...(refusal === undefined ? { text: text.join(''), logprobs: [] } : { refusal }),
        },
        { type: 'response.content_part.done', ...at(index), part },
      ],
      { ...item, status: 'completed', content: [part] },
    )
  }
  for (const { id, name, arguments: given } of calls) {
    const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name }
    add(
      { ...item, status: 'in_progress', arguments: '' },
      (output_index) => [
        ...[given.slice(0, 4), given.slice(4)].map((delta) => {
          return { type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta }
        }),
        {
          type: 'response.function_call_arguments.done',
          item_id: item.id,
          output_index,
          name,
          arguments: given,
        },
      ],
      { ...item, status: 'completed', arguments: given },
    )
  }
  const usage = {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 17,
  }
  const completed = { ...response, status: 'completed', output, usage }
  return [...events, { type: 'response.completed', response: completed }]
}
