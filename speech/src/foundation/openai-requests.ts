import type { IncomingHttpHeaders } from 'node:http'
import { isOpenAiModel } from '@switchroom/contract/openai-names'
import type { Refusal } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request has OpenAI's form, by its client or by what it asks for: so is the answer, then. */
    isOpenAi?: boolean
  }
}

/** Whether one of OpenAI's own clients sends it: they all send headers like this. */
export const isOpenAiClient = (headers: IncomingHttpHeaders): boolean =>
  headers['x-stainless-lang'] !== undefined || /openai\//i.test(headers['user-agent'] ?? '')

/** What only OpenAI's form has: its models' names, and fields that ours does not know. */
export const isOpenAiSpeech = (fields: Readonly<Record<string, unknown>>): boolean =>
  isOpenAiModel('tts', fields['model']) || 'stream_format' in fields
export const isOpenAiTranscription = (fields: ReadonlyMap<string, unknown>): boolean =>
  isOpenAiModel('stt', fields.get('model')) || fields.has('stream') || fields.has(granularities)

export const granularities = 'timestamp_granularities[]'

/** Codes that OpenAI has a word of its own for; programs act on them. */
const codes: Readonly<Record<string, string>> = {
  MISSING_KEY: 'invalid_api_key',
  INVALID_KEY: 'invalid_api_key',
  BAD_MODEL: 'model_not_found',
  RATE_LIMITED: 'rate_limit_exceeded',
  SUBSCRIPTION_REQUIRED: 'insufficient_quota',
  INSUFFICIENT_CREDITS: 'insufficient_quota',
}

/** A refusal as OpenAI's clients read it; our own code stands beside. */
export function openAiRefusal({ status, code, message }: Refusal) {
  const param = /^`(\w+)`/.exec(message)?.[1] ?? null
  return { error: { message, type: typeOf(status), code: codes[code] ?? code.toLowerCase(), param }, code }
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'rate_limit_error'
  return status === 402 ? 'insufficient_quota' : 'invalid_request_error'
}
