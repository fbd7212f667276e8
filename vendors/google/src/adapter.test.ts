import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VendorFailure } from '@switchroom/kit/failures'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance } from '@switchroom/kit/testing/conformance'
import { modelConformance } from '@switchroom/kit/testing/model-conformance'
import {
  answers,
  asked,
  call,
  counted,
  onTheirWay,
  text,
  tools,
} from '@switchroom/kit/testing/order-conversation'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { Conversation, Thought, ToolCall } from '@switchroom/kit/vendor'
import { busyError, event, functionCall, generated, lookedUp, streams, wire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const calls = [call('fc-1', '{"order":42}'), call('fc-2', '{"order":43}')]

conformance(folder, wire, [
  answers('answers', { messages: asked }, onTheirWay),
  answers('calls tools', { messages: asked, tools }, [text('One moment.'), counted, ...calls]),
  answers('goes on', { messages: lookedUp, tools }, onTheirWay),
])

modelConformance(folder, wire, streams)

interface Asked {
  path: string
  contents: { parts: object[] }[]
  generationConfig: object
  safetySettings?: object[]
}

/** What the adapter makes of a stream of these events, and what it asked for. */
const heard = (events: string[], told: Told = {}) => heardOneByOne([events], told)

interface Told {
  conversations?: Conversation[]
  options?: object
  model?: string
}

/** The same of a vendor that answers the first request with the first events, and so on. */
async function heardOneByOne(
  streamed: string[][],
  told: Told = {},
): Promise<{ thoughts: Thought[]; requests: Asked[] }> {
  const requests: Asked[] = []
  const fake = await startWireFake({
    ...wire,
    async http({ url, body }, answer) {
      requests.push({ ...(JSON.parse(body.toString()) as Asked), path: url.pathname })
      answer.start({ 'content-type': 'text/event-stream' })
      for (const piece of streamed[Math.min(requests.length, streamed.length) - 1] ?? [])
        await answer.piece(piece)
      answer.end()
    },
  })
  try {
    const options = { base_url: `${fake.url}/`, ...told.options }
    const choice = { options, model: told.model, credentials: { api_key: 'mark-of-api_key' } }
    const model = await vendorIn(folder)?.model(choice)
    assert.ok(model)
    const thoughts: Thought[] = []
    for (const conversation of told.conversations ?? [{ messages: asked }])
      thoughts.push(...(await Array.fromAsync(model.think(conversation, AbortSignal.timeout(5_000)))))
    return { thoughts, requests }
  } finally {
    await fake.stop()
  }
}

const stop = { finishReason: 'STOP' }
const failed = (kind: VendorFailure['kind'], message: RegExp) => (error: VendorFailure) =>
  error.kind === kind && message.test(error.message)

test('an answer that ends without its end is no answer (SD-26)', async () => {
  await assert.rejects(heard([generated([{ text: 'They' }])]), failed('silent', /broke off/))
})

test('an error in the middle of a stream says whose fault it is and when to ask again (SD-26)', async () => {
  const error = (code: number) => heard([generated([{ text: 'They' }]), event(busyError(code, 'sorry'))])
  await assert.rejects(error(503), { kind: 'silent', message: 'sorry', retryAfterMs: 20 })
  await assert.rejects(error(429), { kind: 'refused', message: 'sorry', retryAfterMs: 20 })
  await assert.rejects(error(400), { kind: 'refused', message: 'sorry', retryAfterMs: undefined })
})

const answered = [generated([{ text: 'They are on their way.' }], stop)]
const onTheWay = text('They are on their way.')

test('a vendor that is overloaded before its first word is asked again', async () => {
  const { thoughts } = await heardOneByOne([[event(busyError(503, 'sorry'))], answered])
  assert.deepEqual(thoughts, [onTheWay, counted])
})

for (const finishReason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']) {
  const malformed = [generated([], { finishReason })]
  test(`a call that the model wrote wrongly is asked for again once (${finishReason})`, async () => {
    const { thoughts, requests } = await heardOneByOne([malformed, answered])
    assert.deepEqual(thoughts, [onTheWay, counted])
    assert.equal(requests.length, 2)
    assert.deepEqual(requests[0], requests[1])
  })

  test(`a call that the model wrote wrongly twice is no answer (${finishReason})`, async () => {
    const twice = heardOneByOne([malformed, malformed, answered])
    await assert.rejects(twice, failed('silent', /^it called a tool in a form that cannot be read$/))
  })

  test(`a call that the model wrote wrongly after its first words is no answer (${finishReason})`, async () => {
    const begun = [generated([{ text: 'One moment.' }]), ...malformed]
    await assert.rejects(heardOneByOne([begun, answered]), failed('silent', /form that cannot be read/))
  })
}

test('a conversation or an answer that the vendor blocks is a refusal (SD-26)', async () => {
  const blocked = heard([event({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })])
  await assert.rejects(blocked, failed('refused', /PROHIBITED_CONTENT/))
  const keptBack = heard([generated([], { finishReason: 'SAFETY', finishMessage: 'not safe' })])
  await assert.rejects(keptBack, failed('refused', /^not safe$/))
})

test('a call is handed back with the signature that it came with', async () => {
  const made: ToolCall = { id: 'fc-1', name: 'look_up', arguments: '{"order":42}' }
  const part = { functionCall: functionCall(made.id, 42), thoughtSignature: 'c2lnbmVk' }
  const after: Conversation = {
    messages: [
      ...asked,
      { role: 'assistant', text: '', calls: [made] },
      { role: 'tool', call: made.id, name: made.name, text: 'on its way' },
    ],
  }
  const { requests } = await heard([generated([part], stop)], { conversations: [{ messages: asked }, after] })
  assert.deepEqual(requests[1]?.contents.at(-2)?.parts, [part])
})

test('a call without an id gets one of its own', async () => {
  const hungUp = [generated([{ functionCall: { name: 'hang_up' } }], stop)]
  const [, first] = (await heard(hungUp)).thoughts
  const [, second] = (await heard(hungUp)).thoughts
  assert.ok(first?.type === 'call' && second?.type === 'call')
  assert.equal(first.arguments, '{}')
  assert.notEqual(first.id, second.id)
})

test('options are asked for under the names of the wire', async () => {
  const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
  const thinkingConfig = { thinkingLevel: 'low' }
  const { requests } = await heard([generated([{ text: 'Yes' }], stop)], {
    model: 'models/gemini-3.8-flash',
    options: {
      max_output_tokens: 200,
      top_k: 40,
      thinking_config: thinkingConfig,
      safety_settings: safetySettings,
    },
  })
  assert.equal(requests[0]?.path, '/v1beta/models/gemini-3.8-flash:streamGenerateContent')
  assert.deepEqual(requests[0]?.generationConfig, { maxOutputTokens: 200, thinkingConfig })
  assert.deepEqual(requests[0]?.safetySettings, safetySettings)
})
