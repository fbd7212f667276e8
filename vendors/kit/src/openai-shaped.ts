import { randomUUID } from 'node:crypto'
import { addressOf } from './addresses.ts'
import { refused, silent } from './failures.ts'
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
}

/** A model behind the chat-completions wire, which many vendors and local servers speak. */
export function openAiShapedModel(setting: Setting, { baseUrl, besides = usageAsked }: OpenAiShape): Model {
  const { base_url: base = baseUrl, parallel_tool_calls: parallel, ...keywords } = setting.keywords
  const key = setting.credentials['api_key']
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }

  return {
    async *think(conversation, signal) {
      const body = { ...besides, ...keywords, ...requestOf(conversation, parallel) }
      const answer = await askJson(addressOf(String(base), '/chat/completions'), body, { headers, signal })
      const calls: CallInPieces[] = []
      let usage: Usage | undefined
      let isFinished = false
      for await (const data of serverEvents(answer)) {
        if (data === '[DONE]') {
          isFinished = true
          break
        }
        const chunk = eventOf(data) as Chunk
        refuseError(chunk.error ?? chunk.x_groq?.error)
        const choice = chunk.choices?.[0]
        const text = textOf(choice?.delta?.content)
        if (text !== '') yield { type: 'text', text }
        for (const piece of choice?.delta?.tool_calls ?? []) join(calls, piece)
        if (choice?.finish_reason) isFinished = isWholeAfter(choice.finish_reason)
        usage = chunk.usage ?? chunk.x_groq?.usage ?? usage
      }
      if (!isFinished) throw silent('it broke off in the middle of its answer')
      if (usage) yield thoughtOf(usage)
      for (const call of calls) yield wholeCall(call)
    },
  }
}

interface Chunk {
  error?: unknown
  choices?: { delta?: Delta | null; finish_reason?: string | null }[]
  usage?: Usage | null
  x_groq?: { error?: unknown; usage?: Usage | null } | null
}

interface Delta {
  /** Parts, if a vendor separates text from thinking. */
  content?: string | { type?: string; text?: string }[] | null
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

function wholeCall({ id, name, arguments: given }: CallInPieces): Thought {
  const whole = given.trim() || '{}' // what some vendors write of a call without arguments
  try {
    JSON.parse(whole)
  } catch {
    throw silent(`it sent a call of ${name} that is not JSON`)
  }
  return { type: 'call', id, name, arguments: whole }
}

/** An answer that was cut at its greatest length still counts. */
function isWholeAfter(reason: string): boolean {
  if (reason === 'content_filter') throw refused('its content filter ended the answer')
  return reason !== 'error' && reason !== 'insufficient_system_resource'
}

const faults = /server|internal|overload|unavailable|time_?out|\b5\d\d\b/i

/** An error in the middle of a stream has no status: its type and code say whose fault it is. */
function refuseError(error: unknown) {
  if (!error) return
  const { type, code } = Object(error) as { type?: unknown; code?: unknown }
  const words = spokenWords(JSON.stringify(error))
  throw faults.test(`${String(type)} ${String(code)}`) ? silent(words) : refused(words)
}

const thoughtOf = (usage: Usage): Thought => ({
  type: 'usage',
  inputTokens: usage.prompt_tokens ?? 0,
  outputTokens: usage.completion_tokens ?? 0,
})
