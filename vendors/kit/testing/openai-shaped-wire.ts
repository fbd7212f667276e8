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
  /** What the vendor's own client adds to the assistant's messages and their calls, and means nothing. */
  defaults?: { message: string; call: string }
  usageComes: 'in a chunk of its own' | 'in the last chunk' | 'under x_groq'
  refusal: Wire['refusal']
  busy?: Wire['busy']
}

const temperature = 0.3
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const usageInLast = {
  'in a chunk of its own': {},
  'in the last chunk': { usage },
  'under x_groq': { x_groq: { usage } },
}
export const tool = {
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
  ...(chat.busy && { busy: chat.busy }),
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
  const plain = messages.map((message) => withoutDefaults(message, chat.defaults))
  assert.deepEqual(plain, isAfterTools ? writtenAfterTools(messages, chat.idForm) : written)

  answer.start({ 'content-type': 'text/event-stream' })
  const chunks = chunksOfAnswer(chat, tools ? (isAfterTools ? 'goes on' : 'calls') : 'answers')
  // all until the first word at once, so that a stream that breaks or floods has said something
  for (const piece of [chunks.splice(0, chat.thinksIn ? 3 : 2).join(''), ...chunks]) await answer.piece(piece)
  answer.end()
}

/** One whole answer, event by event. */
export function chunksOfAnswer(chat: ChatWire, part: AnswerPart = 'answers'): string[] {
  const deltas = deltasOf(chat, part).map((delta) => chunk(chat, { delta, finish_reason: null }))
  const last = { delta: {}, finish_reason: part === 'calls' ? 'tool_calls' : 'stop' }
  return [
    ...deltas,
    chunk(chat, last, usageInLast[chat.usageComes]),
    ...(chat.usageComes === 'in a chunk of its own' ? [chunk(chat, null, { usage })] : []),
    'data: [DONE]\n\n',
  ]
}

export type AnswerPart = 'answers' | 'calls' | 'goes on'

/** A request for such an answer, as a client of the vendor writes it. */
export function chatRequest(chat: ChatWire, part: AnswerPart) {
  const tool_calls = orders.map((order, index) => {
    return { id: chat.ids[index], type: 'function', function: { name: tool.name, arguments: order } }
  })
  const results = chat.ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'on its way' }))
  const lookedUp = [{ role: 'assistant', content: null, tool_calls }, ...results]
  return {
    ...chat.besides,
    model: chat.model,
    temperature,
    messages: part === 'goes on' ? [...written, ...lookedUp] : written,
    ...(part !== 'answers' && { tools: [{ type: 'function', function: tool }] }),
    stream: true,
  }
}

interface ChatMessage {
  role: string
  tool_calls?: { id: string }[]
}

interface ChatRequest {
  messages: ChatMessage[]
  tools?: object[]
}

const written = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where are orders 42 and 43?' },
]

function withoutDefaults(message: ChatMessage, defaults: ChatWire['defaults']) {
  const without = (field: string | undefined, from: object) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => name !== field))
  const { tool_calls } = message
  const calls = tool_calls && { tool_calls: tool_calls.map((call) => without(defaults?.call, call)) }
  return { ...without(defaults?.message, message), ...calls }
}

/** Each result answers the call at the same position; the ids are the client's own. */
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

function deltasOf(chat: ChatWire, part: AnswerPart): object[] {
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

export const chunk = ({ model }: ChatWire, choice: object | null, more: object = {}) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model,
    choices: choice ? [{ index: 0, ...choice }] : [],
    ...more,
  })}\n\n`
