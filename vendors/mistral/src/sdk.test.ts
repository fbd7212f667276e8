import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Mistral } from '@mistralai/mistralai'
import { chatRequest, openAiShapedWire, tool } from '@switchroom/kit/testing/openai-shaped-wire'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { chat } from '../testing/wire.ts'

describe('@mistralai/mistralai at our fake', () => {
  let fake: WireFake
  before(async () => {
    fake = await startWireFake(openAiShapedWire(chat))
  })
  after(() => fake.stop())

  const { model, temperature } = chatRequest(chat, 'answers')
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Where are orders 42 and 43?' },
  ]
  const tools = [{ type: 'function' as const, function: tool }]
  const lookedUp = chat.ids.map((id, index) => {
    return { id, type: 'function', function: { name: tool.name, arguments: `{"order":${42 + index}}` } }
  })

  async function asked(more: object = {}) {
    const client = new Mistral({
      serverURL: fake.url,
      apiKey: 'mark-of-api_key',
      retryConfig: { strategy: 'none' },
    })
    const request = { model, temperature, messages, ...more }
    const events = await Array.fromAsync(await client.chat.stream(request))
    const chunks = events.map(({ data }) => data)
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
    return { chunks, deltas, words: deltas.map(({ content }) => wordsOf(content)).join('') }
  }

  test('streams an answer, its thinking apart, and counts its tokens', async () => {
    fake.mode = 'answer'
    const { chunks, deltas, words } = await asked()
    assert.equal(words, 'They are on their way.')
    const parts = deltas.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['thinking'],
    )
    const usage = chunks.findLast((chunk) => chunk.usage)?.usage
    assert.deepEqual([usage?.promptTokens, usage?.completionTokens], [12, 5])
    assert.equal(chunks.at(-1)?.choices[0]?.finishReason, 'stop')
  })

  test('calls tools, and goes on with their results', async () => {
    fake.mode = 'answer'
    const { deltas } = await asked({ tools })
    const calls = deltas.flatMap(({ toolCalls }) => toolCalls ?? [])
    assert.deepEqual(
      calls.map(({ id, function: { name, arguments: given } }) => [id, name, given]),
      lookedUp.map(({ id, function: { name, arguments: given } }) => [id, name, given]),
    )
    const results = chat.ids.map((id) => ({ role: 'tool', toolCallId: id, content: 'on its way' }))
    const answered = [...messages, { role: 'assistant', content: null, toolCalls: lookedUp }, ...results]
    assert.equal((await asked({ tools, messages: answered })).words, 'Both come.')
  })

  test('reads a refusal', async () => {
    fake.mode = 'refuse'
    fake.words = 'no such luck today'
    await assert.rejects(
      asked(),
      ({ statusCode, body }: { statusCode?: number; body?: string }) =>
        statusCode === 400 && String(body).includes('no such luck today'),
    )
  })
})

const wordsOf = (content: unknown) => (typeof content === 'string' ? content : '')
