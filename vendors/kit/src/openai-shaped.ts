import { randomUUID } from 'node:crypto'
import { bearerReach, type Reach } from './addresses.ts'
import { endOfAnswer } from './answer-ends.ts'
import { failureOfAnswer } from './answer-failures.ts'
import { busy, refused, silent } from './failures.ts'
import { connectAhead } from './kept-connections.ts'
import { askJson, spokenWords } from './requests.ts'
import { eventOf, serverEvents } from './server-events.ts'
import type { Conversation, Message, Model, Setting, Thought, ToolCall } from './vendor.ts'

const longestArguments = 1024 * 1024
const mostCalls = 128

/** Most vendors count no tokens in a stream unless they are asked to. */
export const usageAsked = { stream_options: { include_usage: true } }

export interface OpenAiShape {
  baseUrl: string
  /** What every request has besides the conversation. Default: `usageAsked`. */
  besides?: Readonly<Record<string, unknown>>
  /** Default: the path of the API under the base, with the key as bearer. */
  reach?: Reach
}

/** A model behind the chat-completions wire, which many vendors and local servers speak. */
export function openAiShapedModel(
  setting: Setting,
  { baseUrl, besides = usageAsked, reach }: OpenAiShape,
): Model {
  const { base_url: base = baseUrl, parallel_tool_calls: parallel, ...keywords } = setting.keywords
  const {
    address,
    connect = connectAhead,
    ...how
  } = reach ?? bearerReach(base, '/chat/completions', setting.credentials)

  return {
    connect: () => connect(address),
    async *think(conversation, signal) {
      const body = { ...besides, ...keywords, ...requestOf(conversation, parallel) }
      const answer = await askJson(address, body, { ...how, signal })
      const calls: CallInPieces[] = []
      let usage: Usage | undefined
      let reason: string | undefined
      let hasSpoken = false
      let hasThought = false
      for await (const data of serverEvents(answer)) {
        if (data === '[DONE]') {
          reason ??= 'stop'
          break
        }
        const chunk = eventOf(data) as Chunk
        refuseError(chunk.error ?? chunk.x_groq?.error, chunk.status_code)
        const choice = chunk.choices?.[0]
        const text = textOf(choice?.delta?.content)
        if (text !== '') yield { type: 'text', text }
        hasSpoken ||= text.trim() !== ''
        hasThought ||= isThinking(choice?.delta)
        for (const piece of choice?.delta?.tool_calls ?? []) join(calls, piece)
        reason = choice?.finish_reason || reason
        usage = chunk.usage ?? chunk.x_groq?.usage ?? usage
      }
      refuseUnfinished(reason)
      hasThought ||= (usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0
      const isCut = cutReasons.has(reason ?? '')
      yield* endOfAnswer({ hasSpoken, hasThought, isCut, calls, usage: usage && thoughtOf(usage) })
    },
  }
}

interface Chunk {
  error?: unknown
  /** Of an error, from vendors that say one. */
  status_code?: number
  choices?: { delta?: Delta | null; finish_reason?: string | null }[]
  usage?: Usage | null
  x_groq?: { error?: unknown; usage?: Usage | null } | null
}

interface Delta {
  /** Parts, if a vendor separates text from thinking. */
  content?: string | { type?: string; text?: string }[] | null
  /** What the model thinks, under the name that the vendor has for it. */
  reasoning?: unknown
  reasoning_content?: unknown
  tool_calls?: CallPiece[] | null
}

interface CallPiece {
  index?: number
  id?: string | null
  function?: { name?: string | null; arguments?: string | object | null }
}

interface CallInPieces extends ToolCall {
  index: number
}

interface Usage {
  prompt_tokens?: number
  completion_tokens?: number
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
}

function requestOf({ messages, tools }: Conversation, parallel: unknown) {
  return {
    messages: messages.filter(saysAnything).map(messageOf),
    ...(tools?.length && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }), // refused if there are no tools
    }),
    stream: true,
  }
}

/** A turn that was cut off before its first word is left out: some vendors refuse it. */
const saysAnything = (message: Message) =>
  message.role === 'tool' || message.text !== '' || (message.role === 'assistant' && message.calls?.length)

function messageOf(message: Message) {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call, content: message.text }
  if (message.role !== 'assistant' || !message.calls?.length)
    return { role: message.role, content: message.text }
  const tool_calls = message.calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }))
  return { role: 'assistant', content: message.text || null, tool_calls }
}

function textOf(content: Delta['content']): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

function isThinking(delta: Delta | null | undefined): boolean {
  const { content, reasoning, reasoning_content } = delta ?? {}
  if (reasoning || reasoning_content) return true
  return Array.isArray(content) && content.some(({ type }) => type === 'thinking')
}

/** A call comes whole, or in pieces: its id and name first, its arguments letter by letter. */
function join(calls: CallInPieces[], { index = 0, id, function: piece }: CallPiece) {
  let call = calls.findLast((known) => known.index === index)
  if (!call || (id && id !== call.id)) {
    call = { index, id: id || `call_${randomUUID().replaceAll('-', '')}`, name: '', arguments: '' }
    calls.push(call)
  }
  call.name ||= piece?.name ?? ''
  const given = piece?.arguments ?? ''
  call.arguments += typeof given === 'string' ? given : JSON.stringify(given)
  if (calls.length > mostCalls || call.arguments.length > longestArguments)
    throw silent('it sent calls without an end')
}

/** An answer that was cut at its greatest length still counts, unless it is cut in the middle of a call. */
const cutReasons = new Set(['length', 'model_length'])

function refuseUnfinished(reason: string | undefined) {
  if (reason === 'content_filter') throw refused('its content filter ended the answer')
  if (reason === 'insufficient_system_resource') throw busy('it had too few resources and broke off')
  if (reason === undefined || reason === 'error') throw silent('it broke off in the middle of its answer')
}

/** An error in the middle of a stream seldom has a status: its type and code say whose fault it is. */
function refuseError(error: unknown, given: number | undefined) {
  if (!error) return
  const { type, code } = Object(error) as { type?: unknown; code?: unknown }
  const body = JSON.stringify(error)
  const told = `${String(type)} ${String(code)}`
  const status = given ?? statuses.find(([words]) => words.test(told))?.[1] ?? 400
  throw failureOfAnswer({ status, header: () => null, body, words: spokenWords(body) })
}

const statuses: readonly [words: RegExp, status: number][] = [
  [/rate_?limit|too_many|queue_exceeded|\b429\b/i, 429],
  [/overload|capacity|unavailable|\b503\b|\b529\b/i, 503],
  [/server|internal|time_?out|\b5\d\d\b/i, 500],
]

const thoughtOf = (usage: Usage): Thought => ({
  type: 'usage',
  inputTokens: usage.prompt_tokens ?? 0,
  outputTokens: usage.completion_tokens ?? 0,
})
