import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWireFake } from '../testing/wire-fake.ts'
import type { VendorFailure } from './failures.ts'
import { openAiShapedModel } from './openai-shaped.ts'
import type { Conversation, Thought } from './vendor.ts'

const hello: Conversation = { messages: [{ role: 'user', text: 'hello?' }] }

/** What the model makes of a vendor that streams these events, and what that vendor was asked. */
async function heard(
  events: (object | string)[],
  { conversation = hello, keywords = {} }: { conversation?: Conversation; keywords?: object } = {},
): Promise<{ thoughts: Thought[]; request: unknown }> {
  let request: unknown
  const fake = await startWireFake({
    refusal: (words) => ({ error: words }),
    async http({ url, body }, answer) {
      assert.equal(url.pathname, '/v1/chat/completions')
      request = JSON.parse(body.toString())
      answer.start({ 'content-type': 'text/event-stream' })
      for (const event of events)
        await answer.piece(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
      answer.end()
    },
  })
  try {
    const setting = { class: 'LLM', keywords: { model: 'm', base_url: `${fake.url}/v1/`, ...keywords } }
    const model = openAiShapedModel({ ...setting, credentials: {} }, { baseUrl: 'http://unused' })
    const thoughts = await Array.fromAsync(model.think(conversation, AbortSignal.timeout(5_000)))
    return { thoughts, request }
  } finally {
    await fake.stop()
  }
}

const delta = (written: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: written, finish_reason }],
})
const call = (piece: object) => delta({ tool_calls: [piece] })
const called = delta({}, 'tool_calls')
const failed = (kind: VendorFailure['kind'], message: RegExp) => (error: VendorFailure) =>
  error.kind === kind && message.test(error.message)

test('an answer that ends without its end is no answer (SD-26)', async () => {
  await assert.rejects(heard([delta({ content: 'One' })]), failed('silent', /broke off/))
})

test('an answer that the vendor gives up is no answer, whatever follows (SD-26)', async () => {
  const givenUp = (reason: string) => heard([delta({ content: 'One' }), delta({}, reason), '[DONE]'])
  await assert.rejects(givenUp('insufficient_system_resource'), failed('silent', /too few resources/))
  await assert.rejects(givenUp('error'), failed('silent', /broke off/))
})

test('an answer that a filter stops is a refusal (SD-26)', async () => {
  await assert.rejects(heard([delta({}, 'content_filter')]), failed('refused', /content filter/))
})

test('an error in the middle of a stream says whose fault it is (SD-26)', async () => {
  const error = (type: string) => heard([delta({ content: 'One' }), { error: { type, message: 'sorry' } }])
  await assert.rejects(error('server_error'), failed('silent', /^sorry$/))
  await assert.rejects(error('invalid_request_error'), failed('refused', /^sorry$/))
  await assert.rejects(error('overloaded_error'), { kind: 'silent', message: 'sorry', retryAfterMs: 500 })
  await assert.rejects(error('rate_limit_error'), { kind: 'refused', message: 'sorry', retryAfterMs: 500 })
  const cerebras = heard([{ error: { message: 'sorry', code: 'queue' }, status_code: 500 }])
  await assert.rejects(cerebras, failed('silent', /^sorry$/))
  const groq = heard([{ ...delta({}), x_groq: { error: 'no such tool' } }])
  await assert.rejects(groq, failed('refused', /^no such tool$/))
})

test('calls that share an index are distinguished by their ids', async () => {
  const whole = (id: string) => call({ id, function: { name: 'look_up', arguments: '{}' } })
  const { thoughts } = await heard([whole('a'), whole('b'), called])
  assert.deepEqual(
    thoughts.map((thought) => thought.type === 'call' && thought.id),
    ['a', 'b'],
  )
})

test('a call without id and arguments gets an id of its own and an empty object', async () => {
  const hangUp = [call({ index: 0, function: { name: 'hang_up' } }), called]
  const [first] = (await heard(hangUp)).thoughts
  const [second] = (await heard(hangUp)).thoughts
  assert.ok(first?.type === 'call' && second?.type === 'call')
  assert.deepEqual([first.name, first.arguments], ['hang_up', '{}'])
  assert.notEqual(first.id, second.id)
})

test('arguments that come as an object are handed on as JSON', async () => {
  const object = call({ index: 0, id: 'a', function: { name: 'look_up', arguments: { order: 42 } } })
  const [thought] = (await heard([object, called])).thoughts
  assert.deepEqual(thought, { type: 'call', id: 'a', name: 'look_up', arguments: '{"order":42}' })
})

test('a call that is cut off is no answer, and no call beside it is handed out', async () => {
  const whole = call({ index: 0, id: 'a', function: { name: 'look_up', arguments: '{"order":42}' } })
  const begun = (given: string) =>
    call({ index: 1, id: 'b', function: { name: 'look_up', arguments: given } })
  const cut = (given: string) => heard([whole, begun(given), delta({}, 'length')])
  await assert.rejects(cut('{"order":'), failed('silent', /cut in the middle of a call/))
  await assert.rejects(cut(''), failed('silent', /cut in the middle of a call/))
  await assert.rejects(
    heard([whole, begun('{"order":'), called]),
    failed('silent', /look_up that is not JSON/),
  )
  await assert.rejects(heard([begun('42'), called]), failed('silent', /look_up that is not JSON/))
})

test('an answer of thinking only is no answer, also if only the counts tell of it', async () => {
  const nothing = delta({}, 'stop')
  const counts = { usage: { completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 9 } } }
  const onlyThought = failed('silent', /thought and then said nothing: raise its token limit/)
  await assert.rejects(heard([delta({ reasoning_content: 'Hm.' }), nothing]), onlyThought)
  await assert.rejects(heard([delta({ reasoning: 'Hm.' }), delta({ content: ' \n' }), nothing]), onlyThought)
  await assert.rejects(heard([nothing, counts, '[DONE]']), onlyThought)
  await assert.rejects(heard([delta({}, 'length')]), onlyThought)
})

test('a model that has nothing to say may say nothing', async () => {
  assert.deepEqual((await heard([delta({ content: '' }, 'stop'), '[DONE]'])).thoughts, [])
})

test('a flood of calls ends', async () => {
  const calls = Array.from({ length: 200 }, (_, index) => call({ index, id: `${index}` }))
  await assert.rejects(heard([...calls, called]), failed('silent', /without an end/))
})

test('a turn that says nothing is left out, and without tools there is no tools field', async () => {
  const messages: Conversation['messages'] = [
    { role: 'user', text: 'hello?' },
    { role: 'assistant', text: '' },
    { role: 'user', text: 'are you there?' },
  ]
  const keywords = { parallel_tool_calls: false }
  const { request } = await heard(['[DONE]'], { conversation: { messages, tools: [] }, keywords })
  assert.deepEqual(request, {
    model: 'm',
    messages: [
      { role: 'user', content: 'hello?' },
      { role: 'user', content: 'are you there?' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  })
  const tools = [{ name: 'hang_up', description: 'hangs up', parameters: { type: 'object' } }]
  const withTools = await heard(['[DONE]'], { conversation: { messages, tools }, keywords })
  assert.equal((withTools.request as typeof keywords).parallel_tool_calls, false)
})
