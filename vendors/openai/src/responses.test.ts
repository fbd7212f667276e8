import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn, type StageChoice } from '@switchroom/kit/installed'
import type { Thought } from '@switchroom/kit/vendor'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { answerResponses, frame, type Answered, type ResponsesRequest } from '../testing/responses-wire.ts'

type Choice = Omit<StageChoice, 'credentials'>

const folder = join(import.meta.dirname, '..')
const messages = [{ role: 'user' as const, text: 'Where is order 42?' }]

interface Thinking {
  thoughts: Thought[]
  asked: ResponsesRequest[]
}

async function thinking(
  choice: Choice,
  answered: Answered | readonly object[] = { text: ['On its way.'] },
): Promise<Thinking> {
  const asked: ResponsesRequest[] = []
  const fake = await startWireFake({
    refusal: (message) => ({ error: { message } }),
    async http(seen, answer) {
      asked.push(JSON.parse(seen.body.toString()) as ResponsesRequest)
      if (!Array.isArray(answered)) return answerResponses(seen, answer, () => answered as Answered)
      answer.start({ 'content-type': 'text/event-stream' })
      for (const event of answered as { type: string }[]) await answer.piece(frame(event))
      answer.end()
    },
  })
  try {
    const model = await vendorIn(folder)?.model({
      ...choice,
      options: { base_url: fake.url, api: 'responses', ...choice.options },
      credentials: { api_key: 'key-of-ana' },
    })
    const thoughts = await Array.fromAsync(model?.think({ messages }, AbortSignal.timeout(5_000)) ?? [])
    return { thoughts, asked }
  } finally {
    await fake.stop()
  }
}

const asked = async (choice: Choice) => (await thinking(choice)).asked[0]

test('a model that reasons thinks as little as it can, because a caller waits', async () => {
  const efforts = { 'gpt-6-luna': 'none', 'gpt-5-mini': 'minimal', 'gpt-6.1-sol': 'low', 'o3-mini': 'low' }
  for (const [model, effort] of Object.entries(efforts))
    assert.deepEqual((await asked({ model }))?.reasoning, { effort }, model)
})

test('an agent says how much its model thinks and how much it says', async () => {
  const request = await asked({
    model: 'gpt-6-luna',
    options: { reasoning_effort: 'high', verbosity: 'low' },
  })
  assert.deepEqual([request?.reasoning, request?.text], [{ effort: 'high' }, { verbosity: 'low' }])
})

test('a temperature goes only to a model that does not reason, which would refuse it', async () => {
  const knobs = { temperature: 0.3 }
  assert.equal((await asked({ model: 'gpt-6-luna', knobs }))?.temperature, 0.3)
  assert.equal(
    (await asked({ model: 'gpt-6-luna', knobs, options: { reasoning_effort: 'low' } }))?.temperature,
    undefined,
  )
  assert.equal((await asked({ model: 'gpt-6.1-sol', knobs }))?.temperature, undefined)
})

test('OpenAI stores nothing of a conversation', async () => {
  assert.equal((await asked({ model: 'gpt-6-luna' }))?.store, false)
})

test("the model's own refusal is a refusal in its words, and is not asked again", async () => {
  const refused = thinking({ model: 'gpt-6-luna' }, { refusal: 'I cannot help with that.' })
  await assert.rejects(refused, { kind: 'refused', message: 'I cannot help with that.' })
})

const created = { type: 'response.created', response: { id: 'resp_1' } }
const failed = (code: string, message: string) => [
  created,
  { type: 'response.failed', response: { error: { code, message } } },
]

test('a failure inside of the stream says whether OpenAI refuses, is broken or is too busy', async () => {
  const failure = (events: readonly object[]) =>
    assert.rejects(thinking({ model: 'gpt-6-luna', retries: 0 }, events), expected)
  let expected: object = { kind: 'refused', message: 'The image is too small.', retryAfterMs: undefined }
  await failure(failed('image_too_small', 'The image is too small.'))
  expected = { kind: 'silent', message: 'The server had an error.', retryAfterMs: undefined }
  await failure(failed('server_error', 'The server had an error.'))
  expected = { message: 'Slow down.', retryAfterMs: 500 }
  await failure(failed('rate_limit_exceeded', 'Slow down.'))
  expected = { kind: 'refused', message: 'its content filter ended the answer' }
  const response = { incomplete_details: { reason: 'content_filter' } }
  await failure([created, { type: 'response.incomplete', response }])
})

test('an answer that was cut at its greatest length counts as said so far', async () => {
  const delta = { type: 'response.output_text.delta', delta: 'On its' }
  const response = {
    incomplete_details: { reason: 'max_output_tokens' },
    usage: { input_tokens: 3, output_tokens: 2 },
  }
  const { thoughts } = await thinking({ model: 'gpt-6-luna' }, [
    created,
    delta,
    { type: 'response.incomplete', response },
  ])
  assert.deepEqual(thoughts, [
    { type: 'text', text: 'On its' },
    { type: 'usage', inputTokens: 3, outputTokens: 2 },
  ])
})
