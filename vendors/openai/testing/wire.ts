import assert from 'node:assert/strict'
import { answerChat, type ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'
import type { HttpAnswer, Seen, Wire } from '@switchroom/kit/testing/wire-fake'
import { RealtimeVendor } from './realtime-vendor.ts'
import { answerResponses, type Answered, type ResponsesRequest } from './responses-wire.ts'

/** The models that are still reached over chat completions. */
export const chat: ChatWire = {
  model: 'gpt-4.1-mini',
  besides: { stream_options: { include_usage: true } },
  callsCome: 'in pieces',
  ids: ['call_62136354', 'call_62136355'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({
    error: { message: words, type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  }),
}

/** What `whisper-1` makes of the recording; the others report no times. */
export const timed = {
  text: 'Hello there.',
  language: 'english',
  duration: 0.9,
  words: [
    { word: 'Hello', start: 0, end: 0.4 },
    { word: 'there', start: 0.4, end: 0.9 },
  ],
  segments: [{ id: 0, start: 0, end: 0.9, text: ' Hello there.' }],
  usage: { type: 'duration', seconds: 1 },
}
const untimed = { text: 'Hello there.', usage: { type: 'tokens', total_tokens: 9 } }

export const orders = ['{"order":42}', '{"order":43}'] as const

/** OpenAI's whole API as this project uses it. */
export const openAiWire: Wire = {
  refusal: chat.refusal,
  async http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    const { pathname } = seen.url
    if (pathname === '/audio/speech') return answerSpeech(seen, answer)
    if (pathname === '/audio/transcriptions') return answerTranscription(seen, answer)
    if (pathname === '/responses') return answerResponses(seen, answer, answeredTo)
    return answerChat(chat, seen, answer)
  },
  socket: new RealtimeVendor({ answer: () => ({ text: 'Hello there.' }), transcript: () => 'Hello.' }).wire
    .socket,
}

async function answerSpeech({ body }: Seen, answer: HttpAnswer) {
  const { input, voice, response_format } = JSON.parse(body.toString()) as Record<string, unknown>
  assert.deepEqual([input, voice, response_format], ['hello there', 'coral', 'pcm'])
  answer.start({ 'content-type': 'audio/pcm' })
  for (const length of [4801, 4799, 9600]) await answer.piece(Buffer.alloc(length, 7))
  answer.end()
}

async function answerTranscription({ headers, body }: Seen, answer: HttpAnswer) {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData()
  const file = form.get('file') as File
  assert.deepEqual([file.name, file.type, file.size], ['audio.wav', 'audio/wav', 3244])
  assert.equal(form.get('language'), 'pt')
  const isTimed = form.get('model') === 'whisper-1'
  assert.equal(form.get('prompt'), isTimed ? 'Switchroom, Ana' : null)
  assert.deepEqual(form.getAll('keywords[]'), isTimed ? [] : ['Switchroom', 'Ana'])
  assert.equal(form.get('response_format'), isTimed ? 'verbose_json' : 'json')
  assert.deepEqual(form.getAll('timestamp_granularities[]'), isTimed ? ['word', 'segment'] : [])
  await answer.json(isTimed ? timed : { ...untimed, languages: [{ code: 'pt' }] })
}

/** It looks two orders up, and then knows them. */
function answeredTo({ input, tools }: ResponsesRequest): Answered {
  if (!tools) return { text: ['They are', ' on their way.'] }
  if (input.some(({ type }) => type === 'function_call_output')) return { text: ['Both', ' come.'] }
  const calls = orders.map((order, at) => ({ id: chat.ids[at] ?? '', name: 'look_up', arguments: order }))
  return { text: ['One moment.'], calls, thinks: true }
}
