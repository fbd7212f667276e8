import { addressOf } from '@switchroom/kit/addresses'
import { endOfAnswer } from '@switchroom/kit/answer-ends'
import { failureOfAnswer } from '@switchroom/kit/answer-failures'
import { refused, silent } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { askJson } from '@switchroom/kit/requests'
import { eventOf, serverEvents } from '@switchroom/kit/server-events'
import type { Model, Setting, Thought, ToolCall } from '@switchroom/kit/vendor'
import { settingsAfter, settingsFor } from './generations.ts'
import { requestOf } from './request.ts'

/** The last version that takes a temperature: the one after it, 2026-10-21, refuses every request with one. */
const version = '2023-06-01'
const longestArguments = 1024 * 1024

export function model({ keywords, credentials }: Setting): Model {
  const { base_url: base = 'https://api.anthropic.com', ...rest } = keywords
  const settings = settingsFor(rest)
  const address = addressOf(String(base), '/v1/messages')
  const headers = { 'x-api-key': String(credentials['api_key']), 'anthropic-version': version }

  return {
    connect: () => connectAhead(address),
    async *think(conversation, signal) {
      const now = settingsAfter(settings, conversation.messages)
      const body = { ...now, ...requestOf(conversation), stream: true }
      const answer = await askJson(address, body, { headers, signal })
      const calls = new Map<number, ToolCall>()
      let usage: Usage = {}
      let reason: string | null = null
      let hasSpoken = false
      let hasThought = false
      for await (const data of serverEvents(answer)) {
        const event = eventOf(data) as unknown as MessageEvent
        switch (event.type) {
          case 'error':
            throw failureOf(event.error)
          case 'message_start':
            usage = event.message.usage
            break
          case 'content_block_start': {
            const { type, id, name } = event.content_block
            if (type === 'tool_use') calls.set(event.index, { id, name, arguments: '' })
            hasThought ||= type === 'thinking' || type === 'redacted_thinking'
            break
          }
          case 'content_block_delta':
            if (event.delta.type === 'text_delta') {
              hasSpoken ||= event.delta.text.trim() !== ''
              yield { type: 'text', text: event.delta.text }
            }
            if (event.delta.type === 'input_json_delta')
              join(calls.get(event.index), event.delta.partial_json)
            break
          case 'message_delta':
            refuseRefusal(event.delta)
            reason = event.delta.stop_reason ?? reason
            usage = { ...usage, ...toldOf(event.usage) }
            break
          case 'message_stop':
            yield* endOfAnswer({
              hasSpoken,
              hasThought,
              isCut: cutReasons.has(reason ?? ''),
              calls: [...calls.values()],
              usage: thoughtOf(usage),
            })
            return
          default: // pings, and what the vendor may add
        }
      }
      throw silent('it broke off in the middle of its answer')
    },
  }
}

type MessageEvent =
  | { type: 'error'; error: { type: string; message: string } }
  | { type: 'message_start'; message: { usage: Usage } }
  | { type: 'content_block_start'; index: number; content_block: { type: string; id: string; name: string } }
  | { type: 'content_block_delta'; index: number; delta: Delta }
  | { type: 'message_delta'; delta: Ending; usage: Usage }
  | { type: 'message_stop' }

type Delta = { type: 'text_delta'; text: string } | { type: 'input_json_delta'; partial_json: string }

interface Ending {
  stop_reason: string | null
  stop_details?: { explanation?: string | null } | null
}

interface Usage {
  input_tokens?: number | null
  cache_creation_input_tokens?: number | null
  cache_read_input_tokens?: number | null
  output_tokens?: number | null
}

function join(call: ToolCall | undefined, piece: string) {
  if (!call) return
  call.arguments += piece
  if (call.arguments.length > longestArguments) throw silent('it sent a call without an end')
}

const cutReasons = new Set(['max_tokens', 'model_context_window_exceeded'])

function refuseRefusal({ stop_reason: reason, stop_details: details }: Ending) {
  if (reason === 'refusal') throw refused(details?.explanation ?? 'it declined to answer')
}

/** Counts are totals; if the last event leaves one out, the first event's counts. */
const toldOf = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))

const thoughtOf = (usage: Usage): Thought => ({
  type: 'usage',
  inputTokens:
    (usage.input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0),
  outputTokens: usage.output_tokens ?? 0,
})

/** An error in the middle of a stream has no status but a type: that of the errors over HTTP. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

function failureOf({ type, message }: { type: string; message: string }) {
  return failureOfAnswer({ status: statuses[type] ?? 400, header: () => null, body: '', words: message })
}
