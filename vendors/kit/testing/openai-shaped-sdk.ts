import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openAiShapedStreams } from './openai-shaped-streams.ts'
import { chatRequest, openAiShapedWire, tool, type ChatWire } from './openai-shaped-wire.ts'
import { startWireFake, type WireFake } from './wire-fake.ts'

/** A client that somebody else wrote for the vendor's chat-completions wire. */
export interface ChatClient {
  /** Its package. */
  name: string
  /** Makes one streamed request, with a client at this address that has this key. */
  stream: (at: { baseURL: string; apiKey: string }, request: never) => Promise<unknown>
}

interface Chunk {
  choices?: { delta: Delta; finish_reason?: string | null }[] | null
  usage?: Usage | null
  x_groq?: { usage?: Usage | null } | null
}

interface Delta {
  content?: string | null
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[] | null
}

interface Usage {
  prompt_tokens?: number
  completion_tokens?: number
}

/** The vendor's own client works against our fake as it does against the vendor. */
export function openAiShapedSdk(chat: ChatWire, { name, stream }: ChatClient) {
  describe(`${name} at our fake`, () => {
    let fake: WireFake
    before(async () => {
      fake = await startWireFake(openAiShapedWire(chat))
    })
    after(() => fake.stop())

    async function asked(request: object): Promise<Chunk[]> {
      const at = { baseURL: fake.url, apiKey: 'mark-of-api_key' }
      return Array.fromAsync((await stream(at, request as never)) as AsyncIterable<Chunk>)
    }
    const deltas = (chunks: Chunk[]) => chunks.flatMap(({ choices }) => choices?.[0]?.delta ?? [])
    const words = (chunks: Chunk[]) =>
      deltas(chunks)
        .map(({ content }) => (typeof content === 'string' ? content : ''))
        .join('')

    test('streams an answer and counts its tokens', async () => {
      fake.mode = 'answer'
      const chunks = await asked(chatRequest(chat, 'answers'))
      assert.equal(words(chunks), 'They are on their way.')
      const usage = chunks.map((chunk) => chunk.usage ?? chunk.x_groq?.usage).findLast(Boolean)
      assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens], [12, 5])
      const reasons = chunks.map(({ choices }) => choices?.[0]?.finish_reason)
      assert.equal(reasons.findLast(Boolean), 'stop')
    })

    test('calls tools, and goes on with their results', async () => {
      fake.mode = 'answer'
      const calls: { id: string; name: string; arguments: string }[] = []
      for (const { tool_calls } of deltas(await asked(chatRequest(chat, 'calls'))))
        for (const { index = 0, id, function: piece } of tool_calls ?? []) {
          const call = (calls[index] ??= { id: id ?? '', name: '', arguments: '' })
          call.name ||= piece?.name ?? ''
          call.arguments += piece?.arguments ?? ''
        }
      const made = (index: number, order: number) => {
        return { id: chat.ids[index], name: tool.name, arguments: `{"order":${order}}` }
      }
      assert.deepEqual(calls, [made(0, 42), made(1, 43)])
      assert.equal(words(await asked(chatRequest(chat, 'goes on'))), 'Both come.')
    })

    test('waits for a busy vendor and asks again', async () => {
      fake.mode = 'busy'
      const seen = fake.seen.length
      assert.equal(words(await asked(chatRequest(chat, 'answers'))), 'They are on their way.')
      assert.equal(fake.seen.length - seen, 2)
    })

    test('reads a refusal', async () => {
      fake.mode = 'refuse'
      fake.words = 'no such luck today'
      await assert.rejects(
        asked(chatRequest(chat, 'answers')),
        ({ status, message }: { status?: number } & Error) =>
          status === 400 && message.includes('no such luck today'),
      )
    })

    test('reads an answer of thinking only as one without words', async () => {
      const { thoughtOnly } = openAiShapedStreams(chat)
      const thinking = await startWireFake({
        refusal: chat.refusal,
        async http(_, answer) {
          answer.start({ 'content-type': 'text/event-stream' })
          for (const event of thoughtOnly) await answer.piece(event)
          answer.end()
        },
      })
      try {
        const at = { baseURL: thinking.url, apiKey: 'mark-of-api_key' }
        const chunks = (await stream(at, chatRequest(chat, 'answers') as never)) as AsyncIterable<Chunk>
        assert.equal(words(await Array.fromAsync(chunks)), '')
      } finally {
        await thinking.stop()
      }
    })
  })
}
