import { randomUUID } from 'node:crypto'
import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { askJson, spokenWords } from '@switchroom/kit/requests'
import { eventOf, serverEvents } from '@switchroom/kit/server-events'
import type { Model, Setting, Thought } from '@switchroom/kit/vendor'
import { requestOf } from './request.ts'

const mostSignatures = 256
const mostCalls = 128

export function model({ keywords, credentials }: Setting): Model {
  const { base_url: base = 'https://generativelanguage.googleapis.com', model: named, ...rest } = keywords
  const { safety_settings: safetySettings, ...generation } = rest
  const name = encodeURIComponent(String(named).replace(/^models\//, ''))
  const address = addressOf(String(base), `/v1beta/models/${name}:streamGenerateContent?alt=sse`)
  const headers = { 'x-goog-api-key': String(credentials['api_key']) }
  const signatures = new Map<string, string>()

  const remember = (id: string, signature: string | undefined) => {
    if (signature === undefined) return
    signatures.set(id, signature)
    const [oldest] = signatures.keys()
    if (signatures.size > mostSignatures && oldest !== undefined) signatures.delete(oldest)
  }

  return {
    async *think(conversation, signal) {
      const body = {
        ...requestOf(conversation, signatures),
        generationConfig: inCamelCase(generation),
        ...(safetySettings !== undefined && { safetySettings }),
      }
      const answer = await askJson(address, body, { headers, signal })
      const calls: Thought[] = []
      let usage: Usage | undefined
      let isFinished = false
      for await (const data of serverEvents(answer)) {
        const event = eventOf(data) as Generated
        refuseRefusal(event)
        const candidate = event.candidates?.[0]
        for (const { text, thought, functionCall: call, thoughtSignature } of candidate?.content?.parts ??
          []) {
          if (text && !thought) yield { type: 'text', text }
          if (!call) continue
          const id = call.id || `call_${randomUUID().replaceAll('-', '')}`
          remember(id, thoughtSignature)
          calls.push({ type: 'call', id, name: call.name, arguments: JSON.stringify(call.args ?? {}) })
          if (calls.length > mostCalls) throw silent('it sent calls without an end')
        }
        usage = event.usageMetadata ?? usage
        if (candidate?.finishReason) isFinished = true
      }
      if (!isFinished) throw silent('it broke off in the middle of its answer')
      if (usage) yield thoughtOf(usage)
      yield* calls
    },
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

/** Every other reason is one for which it kept its answer back. */
const answered = new Set(['STOP', 'MAX_TOKENS'])

function refuseRefusal({ error, promptFeedback, candidates }: Generated) {
  if (error) throw (error.code ?? 0) >= 500 ? silent(wordsOf(error)) : refused(wordsOf(error))
  const { blockReason, blockReasonMessage } = promptFeedback ?? {}
  if (blockReason) throw refused(blockReasonMessage ?? `it blocked the conversation: ${blockReason}`)
  const { finishReason, finishMessage } = candidates?.[0] ?? {}
  if (finishReason && !answered.has(finishReason))
    throw refused(finishMessage ?? `it kept its answer back: ${finishReason}`)
}

const wordsOf = (error: object) => spokenWords(JSON.stringify(error))

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
