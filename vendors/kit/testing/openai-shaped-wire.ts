import assert from 'node:assert/strict'
import type { Conversation, Message, Thought, ToolCall } from '../src/vendor.ts'
import { thinking, type Operation } from './conformance.ts'
import type { HttpAnswer, Seen, Wire } from './wire-fake.ts'

/** What one vendor's chat-completions wire has of its own. */
export interface ChatWire {
  model: string
  /** What a request says besides model, conversation and temperature. */
  besides: object
  /** A delta in which the model thinks aloud: nothing that is said. */
  thinksIn?: object
  callsCome: 'whole' | 'in pieces'
  /** Of the calls the vendor makes. */
  ids: readonly [string, string]
  /** The form of ids that the vendor accepts, if it does not accept any. */
  idForm?: RegExp
  usageComes: 'in a chunk of its own' | 'in the last chunk' | 'under x_groq'
  refusal: Wire['refusal']
}

const temperature = 0.3
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const usageInLast = {
  'in a chunk of its own': {},
  'in the last chunk': { usage },
  'under x_groq': { x_groq: { usage } },
}
const tool = {
  name: 'look_up',
  description: 'looks an order up',
  parameters: { type: 'object', properties: { order: { type: 'integer' } } },
}
const orders = ['{"order":42}', '{"order":43}'] as const
const asked: Message[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Where are orders 42 and 43?' },
]
/** As another vendor made them, before this one took over. */
const otherCalls: ToolCall[] = orders.map((order, index) => {
  return { id: `functions.look_up:${index}`, name: tool.name, arguments: order }
})
const askedAndLookedUp: Message[] = [
  ...asked,
  { role: 'assistant', text: '', calls: otherCalls },
  ...otherCalls.map(({ id, name }): Message => ({ role: 'tool', call: id, name, text: 'on its way' })),
]

export const openAiShapedWire = (chat: ChatWire): Wire => ({
  refusal: chat.refusal,
  http: (seen, answer) => answerChat(chat, seen, answer),
})

export function openAiShapedThinking({ ids }: ChatWire): Operation[] {
  const counted: Thought = { type: 'usage', inputTokens: 12, outputTokens: 5 }
  const calls = orders.map((order, index): Thought => {
    return { type: 'call', id: ids[index] ?? '', name: tool.name, arguments: order }
  })
  const hearing = (name: string, conversation: Conversation, ...thoughts: Thought[]) =>
    thinking(name, conversation, {
      choice: { knobs: { temperature } },
      expect: (thought) => assert.deepEqual(thought, thoughts),
    })
  return [
    hearing('answers', { messages: asked }, text('They are'), text(' on their way.'), counted),
    hearing('calls tools', { messages: asked, tools: [tool] }, text('One moment.'), counted, ...calls),
    hearing('goes on', { messages: askedAndLookedUp, tools: [tool] }, text('Both'), text(' come.'), counted),
  ]
}

const text = (said: string): Thought => ({ type: 'text', text: said })

/** Answers as the vendor does, and sees that it was asked as the vendor wants to be. */
export async function answerChat(chat: ChatWire, { url, headers, body }: Seen, answer: HttpAnswer) {
  assert.match(url.pathname, /\/chat\/completions$/)
  assert.match(headers.authorization ?? '', /^Bearer mark-of-api_key/)
  const request = JSON.parse(body.toString()) as ChatRequest
  const { messages, tools, ...rest } = request
  assert.deepEqual(rest, { ...chat.besides, model: chat.model, temperature, stream: true })
  assert.deepEqual(tools, tools && [{ type: 'function', function: tool }])
  const isAfterTools = messages.at(-1)?.role === 'tool'
  assert.deepEqual(messages, isAfterTools ? writtenAfterTools(messages, chat.idForm) : written)

  answer.start({ 'content-type': 'text/event-stream' })
  const deltas = deltasOf(chat, tools ? (isAfterTools ? 'goes on' : 'calls') : 'answers')
  const chunks = deltas.map((delta) => chunk(chat, { delta, finish_reason: null }))
  // all until the first word at once, so that a stream that breaks or floods has said something
  for (const piece of [chunks.splice(0, chat.thinksIn ? 3 : 2).join(''), ...chunks]) await answer.piece(piece)
  const last = { delta: {}, finish_reason: tools && !isAfterTools ? 'tool_calls' : 'stop' }
  await answer.piece(chunk(chat, last, usageInLast[chat.usageComes]))
  if (chat.usageComes === 'in a chunk of its own') await answer.piece(chunk(chat, null, { usage }))
  await answer.piece('data: [DONE]\n\n')
  answer.end()
}

interface ChatRequest {
  messages: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[]
  tools?: object[]
}

const written = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where are orders 42 and 43?' },
]

/** Each result answers the call at the same position. */
function writtenAfterTools(messages: ChatRequest['messages'], idForm = /./) {
  const ids = messages[2]?.tool_calls?.map(({ id }) => id) ?? []
  for (const id of ids) assert.match(id, idForm)
  assert.equal(new Set(ids).size, orders.length)
  const tool_calls = orders.map((order, index) => {
    return { id: ids[index], type: 'function', function: { name: tool.name, arguments: order } }
  })
  const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'on its way' }))
  return [...written, { role: 'assistant', content: null, tool_calls }, ...results]
}

function deltasOf(chat: ChatWire, part: 'answers' | 'calls' | 'goes on'): object[] {
  const beginning = [{ role: 'assistant', content: '' }, ...(chat.thinksIn ? [chat.thinksIn] : [])]
  if (part === 'answers') return [...beginning, { content: 'They are' }, { content: ' on their way.' }]
  if (part === 'goes on') return [...beginning, { content: 'Both' }, { content: ' come.' }]
  const pieces = orders.flatMap((order, index) => callPieces(chat, order, index))
  return [...beginning, { content: 'One moment.' }, ...pieces.map((piece) => ({ tool_calls: [piece] }))]
}

function callPieces({ callsCome, ids }: ChatWire, order: string, index: number): object[] {
  const begun = (given: string) => {
    return { index, id: ids[index], type: 'function', function: { name: tool.name, arguments: given } }
  }
  if (callsCome === 'whole') return [begun(order)]
  return [begun(''), ...[order.slice(0, 4), order.slice(4)].map((piece) => continued(index, piece))]
}

const continued = (index: number, piece: string) => ({ index, function: { arguments: piece } })

const chunk = ({ model }: ChatWire, choice: object | null, more: object = {}) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model,
    choices: choice ? [{ index: 0, ...choice }] : [],
    ...more,
  })}\n\n`
