import { bearerReach, type Reach } from './addresses.ts'
import { endOfAnswer } from './answer-ends.ts'
import { busy, refused, silent, type VendorFailure } from './failures.ts'
import { connectAhead } from './kept-connections.ts'
import { askJson } from './requests.ts'
import { eventOf, serverEvents } from './server-events.ts'
import type { Conversation, Message, Model, Setting, Thought, ToolCall } from './vendor.ts'

const mostCalls = 128

export interface ResponsesShape {
  baseUrl: string
  /** The effort of a model that none was set for. Default: the vendor's own. */
  usualEffort?: (model: string) => string | undefined
  /** Default: the path of the API under the base, with the key as bearer. */
  reach?: Reach
}

/** A model behind the Responses API, the only one on which models that reason also call tools. */
export function responsesModel({ keywords, credentials }: Setting, shape: ResponsesShape): Model {
  const { base_url: base = shape.baseUrl, ...rest } = keywords
  const {
    address,
    connect = connectAhead,
    ...how
  } = shape.reach ?? bearerReach(base, '/responses', credentials)

  return {
    connect: () => connect(address),
    async *think(conversation, signal) {
      const settings = settingsOf(rest, shape.usualEffort)
      const body = { ...settings, ...requestOf(conversation, rest['parallel_tool_calls']) }
      const answer = await askJson(address, body, { ...how, signal })
      const calls: ToolCall[] = []
      let hasSpoken = false
      let hasThought = false
      for await (const data of serverEvents(answer)) {
        const event = eventOf(data) as ResponseEvent
        switch (event.type) {
          case 'error':
            throw failureOf(event)
          case 'response.failed':
            throw failureOf(event.response.error ?? {})
          case 'response.output_text.delta':
            yield { type: 'text', text: event.delta }
            hasSpoken ||= event.delta.trim() !== ''
            break
          case 'response.refusal.done':
            throw refused(event.refusal)
          case 'response.output_item.done':
            if (event.item.type === 'function_call') calls.push(callOf(event.item))
            hasThought ||= event.item.type === 'reasoning'
            if (calls.length > mostCalls) throw silent('it sent calls without an end')
            break
          case 'response.incomplete':
          case 'response.completed':
            refuseFiltered(event.response)
            yield* endOfAnswer({
              hasSpoken,
              hasThought,
              isCut: event.type === 'response.incomplete',
              calls,
              usage: usageOf(event.response),
            })
            return
          default: // what it thinks, and what the vendor may add
        }
      }
      throw silent('it broke off in the middle of its answer')
    },
  }
}

/** The settings under the names of this API. It takes a temperature only of a model that does not reason. */
function settingsOf(keywords: Readonly<Record<string, unknown>>, usualEffort: ResponsesShape['usualEffort']) {
  const { reasoning_effort, verbosity, temperature, top_p, parallel_tool_calls: _, ...rest } = keywords
  const effort = reasoning_effort ?? usualEffort?.(String(rest['model']))
  return {
    ...rest,
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(verbosity !== undefined && { text: { verbosity } }),
    ...((effort === 'none' || effort === undefined) && { temperature, top_p }),
  }
}

function requestOf({ messages, tools }: Conversation, parallel: unknown) {
  return {
    input: messages.flatMap(itemsOf),
    ...(tools?.length && {
      tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    }),
    stream: true,
    store: false, // the log of the call is kept here, and nowhere else
  }
}

function itemsOf(message: Message): object[] {
  const { role, text } = message
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.call, output: text }]
  const calls = role === 'assistant' ? (message.calls ?? []) : []
  return [
    ...(text === '' ? [] : [{ role, content: text }]),
    ...calls.map(({ id, name, arguments: given }) => {
      return { type: 'function_call', call_id: id, name, arguments: given }
    }),
  ]
}

type ResponseEvent =
  | ({ type: 'error' } & ResponseError)
  | { type: 'response.failed'; response: { error?: ResponseError | null } }
  | { type: 'response.output_text.delta'; delta: string }
  | { type: 'response.refusal.done'; refusal: string }
  | { type: 'response.output_item.done'; item: FunctionCall | { type: 'message' | 'reasoning' } }
  | { type: 'response.completed' | 'response.incomplete'; response: EndedResponse }

interface ResponseError {
  code?: string | null
  message?: string
}

interface FunctionCall {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
}

interface EndedResponse {
  incomplete_details?: { reason?: string } | null
  usage?: { input_tokens?: number; output_tokens?: number } | null
}

const callOf = ({ call_id: id, name, arguments: given }: FunctionCall): ToolCall => {
  return { id, name, arguments: given }
}

/** An answer that was cut at its greatest length still counts, unless it is cut in the middle of a call. */
function refuseFiltered({ incomplete_details: details }: EndedResponse) {
  if (details?.reason === 'content_filter') throw refused('its content filter ended the answer')
}

function failureOf({ code, message = 'it gave no reason' }: ResponseError): VendorFailure {
  if (code === 'rate_limit_exceeded' || code === 'server_is_overloaded') return busy(message)
  return code === 'server_error' || code == null ? silent(message) : refused(message)
}

const usageOf = ({ usage }: EndedResponse): Thought => ({
  type: 'usage',
  inputTokens: usage?.input_tokens ?? 0,
  outputTokens: usage?.output_tokens ?? 0,
})
