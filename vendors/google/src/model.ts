import { randomUUID } from 'node:crypto'
import { addressOf } from '@switchroom/kit/addresses'
import { endOfAnswer } from '@switchroom/kit/answer-ends'
import { failureOfAnswer } from '@switchroom/kit/answer-failures'
import { refused, silent, VendorFailure } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { askJson, spokenWords } from '@switchroom/kit/requests'
import { eventOf, serverEvents } from '@switchroom/kit/server-events'
import type { Conversation, Model, Setting, Thought, ToolCall } from '@switchroom/kit/vendor'
import { requestOf } from './request.ts'
import { settingsFor } from './sampling.ts'

const mostSignatures = 256
const mostCalls = 128

export function model({ keywords, credentials }: Setting): Model {
  const { base_url: base = 'https://generativelanguage.googleapis.com', model: named, ...rest } = keywords
  const { safety_settings: safetySettings, ...generation } = rest
  const plainName = String(named).replace(/^models\//, '')
  const generationConfig = inCamelCase(settingsFor(plainName, generation))
  const name = encodeURIComponent(plainName)
  const address = addressOf(String(base), `/v1beta/models/${name}:streamGenerateContent?alt=sse`)
  const headers = { 'x-goog-api-key': String(credentials['api_key']) }
  const signatures = new Map<string, string>()

  const remember = (id: string, signature: string | undefined) => {
    if (signature === undefined) return
    signatures.set(id, signature)
    const [oldest] = signatures.keys()
    if (signatures.size > mostSignatures && oldest !== undefined) signatures.delete(oldest)
  }

  async function* ask(conversation: Conversation, signal: AbortSignal): AsyncIterable<Thought> {
    const body = {
      ...requestOf(conversation, signatures),
      generationConfig,
      ...(safetySettings !== undefined && { safetySettings }),
    }
    const answer = await askJson(address, body, { headers, signal })
    const calls: ToolCall[] = []
    let usage: Usage | undefined
    let reason: string | undefined
    let hasSpoken = false
    let hasThought = false
    for await (const data of serverEvents(answer)) {
      const event = eventOf(data) as Generated
      refuseRefusal(event)
      const candidate = event.candidates?.[0]
      for (const { text, thought, functionCall: call, thoughtSignature } of candidate?.content?.parts ?? []) {
        if (text && !thought) yield { type: 'text', text }
        if (thought) hasThought = true
        else hasSpoken ||= (text ?? '').trim() !== ''
        if (!call) continue
        const id = call.id || `call_${randomUUID().replaceAll('-', '')}`
        remember(id, thoughtSignature)
        calls.push({ id, name: call.name, arguments: JSON.stringify(call.args ?? {}) })
        if (calls.length > mostCalls) throw silent('it sent calls without an end')
      }
      usage = event.usageMetadata ?? usage
      reason = candidate?.finishReason ?? reason
    }
    if (reason === undefined) throw silent('it broke off in the middle of its answer')
    hasThought ||= (usage?.thoughtsTokenCount ?? 0) > 0
    const isCut = cutReasons.has(reason)
    yield* endOfAnswer({ hasSpoken, hasThought, isCut, calls, usage: usage && thoughtOf(usage) })
  }

  return {
    connect: () => connectAhead(address),
    async *think(conversation, signal) {
      let hasSpoken = false
      try {
        for await (const thought of ask(conversation, signal)) {
          hasSpoken = true
          yield thought
        }
      } catch (error) {
        // what was said cannot be taken back here
        if (hasSpoken || !(error instanceof MalformedCall)) throw error
        yield* ask(conversation, signal)
      }
    },
  }
}

/** The model wrote a call that the vendor could not read: the next time it often succeeds. */
class MalformedCall extends VendorFailure {
  constructor() {
    super('silent', 'it called a tool in a form that cannot be read')
  }
}

interface Generated {
  error?: { code?: number; message?: string }
  promptFeedback?: { blockReason?: string; blockReasonMessage?: string }
  candidates?: { content?: { parts?: Part[] }; finishReason?: string; finishMessage?: string }[]
  usageMetadata?: Usage
}

interface Part {
  text?: string
  /** Of text that the model says to itself. */
  thought?: boolean
  functionCall?: { id?: string; name: string; args?: object }
  thoughtSignature?: string
}

interface Usage {
  promptTokenCount?: number
  candidatesTokenCount?: number
  thoughtsTokenCount?: number
}

const cutReasons = new Set(['MAX_TOKENS', 'CONTINUATION'])
const malformedReasons = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])

/** Every reason but these is one for which it kept its answer back. */
function refuseRefusal({ error, promptFeedback, candidates }: Generated) {
  if (error) throw failureOf(error)
  const { blockReason, blockReasonMessage } = promptFeedback ?? {}
  if (blockReason) throw refused(blockReasonMessage ?? `it blocked the conversation: ${blockReason}`)
  const { finishReason, finishMessage } = candidates?.[0] ?? {}
  if (!finishReason || finishReason === 'STOP' || cutReasons.has(finishReason)) return
  if (malformedReasons.has(finishReason)) throw new MalformedCall()
  throw refused(finishMessage ?? `it kept its answer back: ${finishReason}`)
}

/** In the middle of a stream an error has the form that it has over HTTP, its status inside. */
function failureOf(error: { code?: number }) {
  const body = JSON.stringify(error)
  return failureOfAnswer({ status: error.code ?? 400, header: () => null, body, words: spokenWords(body) })
}

/** Thinking is output too. */
const thoughtOf = (usage: Usage): Thought => ({
  type: 'usage',
  inputTokens: usage.promptTokenCount ?? 0,
  outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
})

/** The wire's names of what the vendor's own libraries take in snake case. */
function inCamelCase(keywords: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(keywords).map(([name, value]) => [camel(name), value]))
}
