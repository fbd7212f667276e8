import assert from 'node:assert/strict'
import type { ModelStreams } from '@switchroom/kit/testing/model-conformance'
import type { Wire } from '@switchroom/kit/testing/wire-fake'
import { askedAndLookedUp, parameters } from '@switchroom/kit/testing/order-conversation'

/** As another vendor made them, before this one took over. */
export const lookedUp = askedAndLookedUp((order) => `call_${order}`)

export const functionCall = (id: string, order: number) => ({ id, name: 'look_up', args: { order } })
const response = (id: string) => ({ id, name: 'look_up', response: { output: 'on its way' } })
export const written = [
  { role: 'user', parts: [{ text: '…' }] },
  { role: 'model', parts: [{ text: 'Good morning.' }] },
  { role: 'user', parts: [{ text: 'Where are orders 42 and 43?' }] },
]
export const writtenAfterTools = [
  ...written,
  {
    role: 'model',
    parts: [
      { functionCall: functionCall('call_42', 42), thoughtSignature: 'skip_thought_signature_validator' },
      { functionCall: functionCall('call_43', 43) },
    ],
  },
  {
    role: 'user',
    parts: [
      { functionResponse: response('call_42') },
      { functionResponse: response('call_43') },
      { text: 'Well?' },
    ],
  },
]

export const declared = {
  name: 'look_up',
  description: 'looks an order up',
  parametersJsonSchema: parameters,
}

const usageMetadata = {
  promptTokenCount: 12,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 1,
  totalTokenCount: 17,
}

/** One event of the stream; each reports how much was used until then. */
export function generated(parts: object[], more: object = {}): string {
  const candidate = { content: { role: 'model', parts }, index: 0, ...more }
  return event({ candidates: [candidate], usageMetadata, modelVersion: 'gemini-3.5-flash-lite' })
}

export const event = (told: object) => `data: ${JSON.stringify(told)}\r\n\r\n`

const thoughtAloud = { text: 'Two orders.', thought: true }
const finished = generated([{ text: '' }], { finishReason: 'STOP' })
const answered = [
  generated([thoughtAloud, { text: 'They are' }]),
  generated([{ text: ' on their way.' }]),
  finished,
]
const called = [
  generated([thoughtAloud, { text: 'One moment.' }]),
  generated([
    { functionCall: functionCall('fc-1', 42), thoughtSignature: 'c2lnbmVk' },
    { functionCall: functionCall('fc-2', 43) },
  ]),
  finished,
]

const failure = (code: number, status: string, words: string, details: object[] = []) => ({
  error: { code, message: words, status, details },
})
const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.02s' }
export const busyError = (code: number, words: string) => failure(code, 'UNAVAILABLE', words, [retryInfo])

/** The Gemini wire: answers as the vendor does, and sees that it was asked as the vendor wants to be. */
export const wire: Wire = {
  refusal: (words) => failure(400, 'INVALID_ARGUMENT', words),
  busy: { body: (words) => failure(429, 'RESOURCE_EXHAUSTED', words, [retryInfo]) },
  async http({ url, headers, body }, answer) {
    assert.equal(url.pathname, '/v1beta/models/gemini-3.5-flash-lite:streamGenerateContent')
    assert.equal(url.search, '?alt=sse')
    assert.match(String(headers['x-goog-api-key']), /^mark-of-api_key/)
    const { contents, tools: told, ...rest } = JSON.parse(body.toString()) as Record<string, object[]>
    const {
      systemInstruction,
      generationConfig = {},
      ...besides
    } = rest as {
      systemInstruction?: { parts: object[] }
      generationConfig?: object
    }
    assert.deepEqual(systemInstruction?.parts, [{ text: 'Be brief.' }])
    // the model ignores a temperature
    assert.deepEqual([generationConfig, besides], [{}, {}])
    const isAfterTools = contents?.length === writtenAfterTools.length
    assert.deepEqual(contents, isAfterTools ? writtenAfterTools : written)
    assert.deepEqual(told, told && [{ functionDeclarations: [declared] }])

    answer.start({ 'content-type': 'text/event-stream' })
    for (const piece of told && !isAfterTools ? called : answered) await answer.piece(piece)
    answer.end()
  },
}

const wholeCall = generated([{ functionCall: functionCall('fc-1', 42) }])

export const streams: ModelStreams = {
  answered,
  // a call is one part: cut, it never comes, or without its arguments
  cutCall: [
    wholeCall,
    generated([{ functionCall: { id: 'fc-2', name: 'look_up', args: {} } }], { finishReason: 'MAX_TOKENS' }),
  ],
  brokenCall: [wholeCall],
  thoughtOnly: [generated([thoughtAloud]), finished],
  lastTurnOf: ({ contents }: { contents: { role: string }[] }) => contents.at(-1)?.role,
  takesTemperature: 'gemini-3.5-flash',
  refuseTemperature: ['gemini-3.5-flash-lite', 'gemini-3.6-flash', 'gemini-3.8-flash', 'gemini-flash-latest'],
}
