import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { wavOf } from '@switchroom/audio/wav'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import OpenAI, { BadRequestError, RateLimitError, toFile } from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { chat, openAiWire, orders } from '../testing/wire.ts'

// OpenAI's own client is the referee of the wire that the adapter is tested with.

const fake = await startWireFake(openAiWire)
after(() => fake.stop())
const client = new OpenAI({ apiKey: 'mark-of-api_key', baseURL: fake.url, maxRetries: 0 })

const parameters = { type: 'object', properties: { order: { type: 'integer' } } }
const tool = { name: 'look_up', description: 'looks an order up', parameters }
const question = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'Where are orders 42 and 43?' },
]

test("OpenAI's client streams an answer of the Responses API and counts its tokens", async () => {
  const stream = client.responses.stream({ model: 'gpt-6-luna', input: question, store: false })
  const pieces: string[] = []
  stream.on('response.output_text.delta', ({ delta }) => pieces.push(delta))
  const { output_text, usage, status } = await stream.finalResponse()
  assert.deepEqual(
    [pieces, output_text, status],
    [['They are', ' on their way.'], 'They are on their way.', 'completed'],
  )
  assert.deepEqual([usage?.input_tokens, usage?.output_tokens], [12, 5])
})

test("OpenAI's client calls tools over the Responses API and hands their results in", async () => {
  const tools = [{ type: 'function' as const, ...tool, strict: false }]
  const asked = { model: 'gpt-6-luna', tools, store: false }
  const { output } = await client.responses.stream({ ...asked, input: question }).finalResponse()
  const calls = output.filter((item) => item.type === 'function_call')
  assert.deepEqual(
    calls.map(({ call_id, name, arguments: given }) => [call_id, name, given]),
    orders.map((order, at) => [chat.ids[at], 'look_up', order]),
  )
  const results = calls.map(({ call_id }) => ({
    type: 'function_call_output' as const,
    call_id,
    output: 'on its way',
  }))
  const input = [...question, ...calls, ...results]
  const { output_text } = await client.responses.stream({ ...asked, input }).finalResponse()
  assert.equal(output_text, 'Both come.')
})

test("OpenAI's client reads the refusal of a temperature by a model that reasons", async () => {
  const refused = client.responses.create({
    model: 'gpt-6-luna',
    input: question,
    stream: true,
    temperature: 0.3,
  })
  await assert.rejects(refused, (error) => error instanceof BadRequestError && error.param === 'temperature')
})

test("OpenAI's client streams an answer of chat completions, and calls tools there", async () => {
  const asked = { model: chat.model, temperature: 0.3, stream_options: { include_usage: true } }
  const answered = client.chat.completions.stream({ ...asked, stream: true, messages: question })
  assert.equal(await answered.finalContent(), 'They are on their way.')
  assert.equal((await answered.totalUsage()).total_tokens, 17)
  const tools = [{ type: 'function' as const, function: tool }]
  const calling = client.chat.completions.stream({ ...asked, stream: true, messages: question, tools })
  const { tool_calls } = await calling.finalMessage()
  assert.deepEqual(
    tool_calls?.map((call) => call.type === 'function' && call.function.arguments),
    orders,
  )
})

test("OpenAI's client streams speech and has recordings transcribed", async () => {
  const speech = await client.audio.speech.create({
    model: 'gpt-4o-mini-tts',
    voice: 'coral',
    input: 'hello there',
    response_format: 'pcm',
  })
  assert.equal((await speech.arrayBuffer()).byteLength, 19_200)
  const recording = () => toFile(wavOf(new Uint8Array(3200), 16_000), 'audio.wav', { type: 'audio/wav' })
  const heard = await client.audio.transcriptions.create({
    file: await recording(),
    model: 'gpt-transcribe',
    language: 'pt',
    keywords: ['Switchroom', 'Ana'],
    response_format: 'json',
  })
  assert.equal(heard.text, 'Hello there.')
  const timed = await client.audio.transcriptions.create({
    file: await recording(),
    model: 'whisper-1',
    language: 'pt',
    prompt: 'Switchroom, Ana',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })
  assert.deepEqual(
    timed.words?.map(({ word }) => word),
    ['Hello', 'there'],
  )
})

test("OpenAI's client opens a realtime session and hears its reply", async () => {
  const unencrypted = () => connect(Number(new URL(fake.url).port), '127.0.0.1') // it would insist on TLS
  const options = { createConnection: unencrypted as typeof connect }
  const socket = new OpenAIRealtimeWS({ model: 'gpt-realtime-2.1', options }, client)
  const { promise: done, resolve, reject } = Promise.withResolvers<string>()
  const session = { type: 'realtime' as const, output_modalities: ['audio' as const] }
  let words = ''
  socket.on('error', reject)
  socket.once('session.created', () => {
    socket.send({ type: 'session.update', session })
    socket.send({ type: 'response.create', response: { instructions: 'Be brief.' } })
  })
  socket.on('response.output_audio_transcript.delta', ({ delta }) => (words += delta))
  socket.once('response.done', ({ response }) => resolve(String(response.status)))
  assert.equal(await done, 'completed')
  assert.equal(words, 'Hello there.')
  socket.close()
})

test("OpenAI's client reads a rate limit, waits as it is asked to and asks again", async () => {
  fake.mode = 'overloaded'
  const asked = { model: 'gpt-6-luna', input: question, stream: true } as const
  await assert.rejects(client.responses.create(asked), { status: 529 })
  fake.mode = 'busy'
  await assert.rejects(client.responses.create(asked), RateLimitError)
  fake.mode = 'busy'
  const stream = await client.responses.create(asked, { maxRetries: 1 })
  assert.ok((await Array.fromAsync(stream)).length > 5)
  fake.mode = 'answer'
})
