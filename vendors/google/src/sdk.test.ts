import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  FinishReason,
  GoogleGenAI,
  type ApiError,
  type Content,
  type GenerateContentResponse,
} from '@google/genai'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { busyError, declared, event, generated, wire, written, writtenAfterTools } from '../testing/wire.ts'

const tools = [{ functionDeclarations: [declared] }]

describe('@google/genai at our fake', () => {
  let fake: WireFake
  before(async () => {
    fake = await startWireFake(wire)
  })
  after(() => fake.stop())

  async function answerTo(contents: Content[], more: object = {}, baseUrl = fake.url) {
    const client = new GoogleGenAI({ apiKey: 'mark-of-api_key', httpOptions: { baseUrl } })
    const config = { systemInstruction: 'Be brief.', ...more }
    return Array.fromAsync(
      await client.models.generateContentStream({ model: 'gemini-3.5-flash-lite', contents, config }),
    )
  }
  const partsOf = (pieces: GenerateContentResponse[]) =>
    pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  const wordsOf = (pieces: GenerateContentResponse[]) =>
    partsOf(pieces)
      .map(({ text, thought }) => (thought ? '' : (text ?? '')))
      .join('')

  test('streams an answer, its thinking apart, and counts its tokens', async () => {
    fake.mode = 'answer'
    const pieces = await answerTo(written)
    assert.equal(wordsOf(pieces), 'They are on their way.')
    assert.deepEqual(
      partsOf(pieces).flatMap(({ text, thought }) => (thought ? [text] : [])),
      ['Two orders.'],
    )
    const last = pieces.at(-1)
    assert.equal(last?.candidates?.[0]?.finishReason, FinishReason.STOP)
    const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = last.usageMetadata ?? {}
    assert.deepEqual([promptTokenCount, candidatesTokenCount, thoughtsTokenCount], [12, 4, 1])
  })

  test('calls tools, and goes on with their results', async () => {
    fake.mode = 'answer'
    const calls = (await answerTo(written, { tools })).flatMap(({ functionCalls }) => functionCalls ?? [])
    assert.deepEqual(calls, [
      { id: 'fc-1', name: 'look_up', args: { order: 42 } },
      { id: 'fc-2', name: 'look_up', args: { order: 43 } },
    ])
    assert.equal(wordsOf(await answerTo(writtenAfterTools, { tools })), 'They are on their way.')
  })

  test('reads a refusal', async () => {
    fake.mode = 'refuse'
    fake.words = 'no such luck today'
    await assert.rejects(
      answerTo(written),
      ({ status, message }: ApiError) => status === 400 && message.includes('no such luck today'),
    )
  })

  const streaming = async (events: string[]) => {
    const other = await startWireFake({
      ...wire,
      async http(_, answer) {
        answer.start({ 'content-type': 'text/event-stream' })
        for (const piece of events) await answer.piece(piece)
        answer.end()
      },
    })
    try {
      return await answerTo(written, {}, other.url)
    } finally {
      await other.stop()
    }
  }

  test('reads a call that the model wrote wrongly', async () => {
    const pieces = await streaming([generated([], { finishReason: 'MALFORMED_FUNCTION_CALL' })])
    assert.equal(pieces[0]?.candidates?.[0]?.finishReason, FinishReason.MALFORMED_FUNCTION_CALL)
  })

  test('reads an error in the middle of a stream', async () => {
    await assert.rejects(
      streaming([generated([{ text: 'They' }]), event(busyError(503, 'sorry'))]),
      ({ status, message }: ApiError) => status === 503 && message.includes('sorry'),
    )
  })
})
