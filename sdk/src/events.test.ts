import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { chatCall, registeredAgent, key } from '../testing/connected.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import { Call, type MessagingSession } from './call.ts'
import { connect } from './switchroom.ts'

/** One example of every event that reaches handlers as `(event, call)`. */
const examples = {
  'call.preparingTimeout': { callId: 'call_1', turn: 2, waitedMs: 1500, budgetMs: 1500 },
  'speech.started': { callId: 'call_1', at: 1 },
  'speech.ended': { callId: 'call_1', at: 2 },
  'user.speaking': { text: 'good mor' },
  'user.message': { text: 'good morning', messageId: 'msg_1' },
  'eager.turn': { text: 'good morning', probability: 0.6 },
  'turn.end': { text: 'good morning', probability: 0.9 },
  'turn.continued': { callId: 'call_1', at: 3, text: 'good morning' },
  'bot.speaking': { messageId: 'msg_2', text: '' },
  'bot.word': { messageId: 'msg_2', word: 'Good' },
  'bot.finished': { messageId: 'msg_2', durationMs: 900 },
  'bot.interrupted': { messageId: 'msg_2', playedMs: 300, reason: 'user_speech' },
  'message.confirmed': { messageId: 'msg_2' },
  'llm.toolCall': { msgId: 'msg_3', toolCalls: [{ id: 'tool_1', name: 'elsewhere', arguments: '{}' }] },
  'session.idleWarning': { remainingSeconds: 60, idleTimeoutSeconds: 1800 },
  'session.timeout': { reason: 'idle_timeout' },
  'audio.metrics': { source: 'user', energyDb: -30, rms: 0.1, peak: 0.4, isSpeech: true, vadProb: 0.9 },
  'call.dtmf_received': { callId: 'call_1', digit: '2', digits: '12' },
  'call.dtmf_sent': { callId: 'call_1', digits: '9' },
  'msgapp.message': {
    sessionId: 'call_1',
    from: '+34911234567',
    name: 'Ana',
    type: 'text',
    text: 'hello',
    messageId: 'wamid.1',
    paused: false,
  },
  'msgapp.response': { sessionId: 'call_1', to: '+34911234567', text: 'hello', source: 'human' },
  'msgapp.status': { status: 'read', recipient: '+34911234567', messageId: 'wamid.2' },
  'session.paused': { sessionId: 'call_1' },
  'session.resumed': { sessionId: 'call_1' },
  'memory.ops': { contact: '+34911234567', ops: [{ op: 'add', id: 'fact_1', text: 'likes tea' }] },
  'agent.message': { text: 'hello', messageId: 'msg_4', source: 'model' },
  'callback.requested': {
    number: '+34911234567',
    when: null,
    note: null,
    call: 'call_1',
    channel: 'chat',
    contact: null,
    via: 'agent',
  },
} as const

test('handlers take (event, call), with the payload as the documents write it (N-409, ND-91)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const seen: [string, unknown, unknown][] = []
  for (const name of Object.keys(examples) as (keyof typeof examples)[])
    agent.on(name, (...args: unknown[]) => void seen.push([name, args[0], args[1]]))
  let started: Call | undefined
  agent.on('chat.started', (call) => (started = call))
  gateway.event('chat.started', { call: chatCall })
  for (const [name, payload] of Object.entries(examples)) gateway.event(name, payload)
  await until('all came', () => seen.length === Object.keys(examples).length)
  assert.deepEqual(
    seen.map(([name, event]) => [name, event]),
    Object.entries(examples),
  )
  assert.ok(started instanceof Call)
  for (const [, , call] of seen) assert.equal(call, started)
})

test('an event knows its payload by its name, and a call its fields (N-409, ND-91)', () => {
  const agent = new Agent({ name: 'desk' })
  agent.on('user.message', (event, call) => `${event.text.trim()} ${event.messageId} ${call.id}`)
  agent.on('call.ended', (call, reason) => (reason === 'hangup' ? call.duration?.toFixed() : undefined))
  agent.on('memory.ops', (event, call) => event.ops.map(({ op }) => `${op} ${call?.id}`))
  // @ts-expect-error the call may be missing
  agent.on('memory.ops', (_event, call) => call.id)
  // @ts-expect-error there is no such event
  assert.throws(() => agent.on('user.mesage', () => {}))
  // @ts-expect-error a message has no words
  agent.on('user.message', (event) => event.words)
  // @ts-expect-error what a handler prepares has names
  agent.on('call.preparing', () => ({ promt: 'x' }))
})

test('a started call comes alone with its fields, and an ended one with its reason and its end (N-409, ND-91, ND-92)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const seen: unknown[][] = []
  agent.on('call.started', (...args) => void seen.push(args))
  agent.on('call.ended', (...args) => void seen.push(args))
  const { startedAt } = chatCall
  gateway.event('call.started', { call: { ...chatCall, transport: 'phone' } })
  await until('it started', () => seen.length === 1)
  const call = seen[0]?.[0] as Call
  const { botText: _ours, ...fields } = call
  assert.deepEqual(fields, { ...chatCall, transport: 'phone' })
  assert.equal(seen[0]?.length, 1)
  const ended = { ...chatCall, endedAt: startedAt + 9000, duration: 9, reason: 'hangup' }
  gateway.event('call.ended', { call: ended, reason: 'hangup' })
  await until('it ended', () => seen.length === 2)
  assert.deepEqual(seen[1], [call, 'hangup'])
  assert.deepEqual([call.endedAt, call.duration, call.reason], [startedAt + 9000, 9, 'hangup'])
})

test('a call that passes to this process comes with its fields, and continues (ND-88)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const passed: Call[] = []
  agent.on('call.passed', (call) => void passed.push(call))
  agent.on('user.message', (_event, call) => void passed.push(call))
  gateway.event('call.passed', { call: chatCall })
  gateway.event('user.message', { text: 'hello', messageId: 'msg_1' })
  await until('both came', () => passed.length === 2)
  assert.equal(passed[0], passed[1])
  assert.equal(passed[0]?.metadata['plan'], 'gold')
})

test('before a generation a handler has the call and which turn it holds up, for how long (N-409, ND-90, ND-91)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const seen: unknown[] = []
  agent.on('call.preparing', (call, ...more) => void seen.push(call.from, more))
  gateway.event('call.preparing', { call: chatCall, turn: 3, budgetMs: 150 })
  await until('it came', () => seen.length === 2)
  assert.deepEqual(seen, ['+34911234567', [{ turn: 3, budgetMs: 150 }]])
})

test('a handler of memory.ops is called also without a call (N-439)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const seen: unknown[][] = []
  agent.on('memory.ops', (...args) => void seen.push(args))
  gateway.event('memory.ops', examples['memory.ops'], '')
  await until('it came', () => seen.length === 1)
  assert.deepEqual(seen, [[examples['memory.ops'], undefined]])
})

test('a messaging conversation comes with its session, whose history is read from the log, page by page (N-423, ND-91)', async (t) => {
  const log = Array.from({ length: 1001 }, (_, i) => ({
    seq: i + 1,
    ts: 1_790_000_000 + i / 2,
    type: i === 0 ? 'msgapp.started' : i % 2 === 1 ? 'user.message' : 'agent.message',
    data: { text: `turn ${i}`, messageId: `msg_${i}`, source: i === 4 ? 'human' : 'model' },
  }))
  const asked: string[] = []
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway')
    asked.push(`${pathname} ${request.headers.authorization}`)
    const after = Number(searchParams.get('after'))
    const entries = log.filter(({ seq }) => seq > after).slice(0, Number(searchParams.get('limit')))
    response.end(JSON.stringify({ entries, next: entries.at(-1)?.seq ?? after, gap: null, ended: false }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => http.close())
  const { gateway, switchroom } = await registeredAgent(t)
  await switchroom.close()
  const port = (http.address() as AddressInfo).port
  http.on('upgrade', (request, socket, head) => gateway.take(request, socket, head))
  const second = connect({ url: `http://127.0.0.1:${port}`, key })
  t.after(() => second.close())
  const agent = new Agent({ name: 'desk' })
  await second.hold(agent)

  const started = Promise.withResolvers<MessagingSession>()
  agent.on('msgapp.started', (call, session) => {
    assert.equal(session.id, call.id)
    started.resolve(session)
  })
  gateway.event('msgapp.started', {
    call: { ...chatCall, transport: 'msgapp' },
    session: { contactPhone: '+34911234567', contactName: 'Ana' },
  })
  const session = await started.promise
  assert.deepEqual([session.contactPhone, session.contactName], ['+34911234567', 'Ana'])
  const history = await session.history()
  assert.equal(history.length, 1000)
  assert.deepEqual(history.slice(0, 4), [
    { who: 'contact', text: 'turn 1', messageId: 'msg_1', at: 1_790_000_000_500, role: 'user' },
    { who: 'agent', text: 'turn 2', messageId: 'msg_2', at: 1_790_000_001_000, role: 'assistant' },
    { who: 'contact', text: 'turn 3', messageId: 'msg_3', at: 1_790_000_001_500, role: 'user' },
    { who: 'supervisor', text: 'turn 4', messageId: 'msg_4', at: 1_790_000_002_000, role: 'assistant' },
  ])
  assert.deepEqual(asked, Array(2).fill(`/v1/calls/call_1/events Bearer ${key}`))
})

test('the words that a bot says add up to the text of its reply, from the beginning for each reply (N-453)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const texts: string[] = []
  agent.on('bot.word', (_event, call) => void texts.push(call.botText))
  for (const word of ['Good', 'morning', ',', 'Ana', '.'])
    gateway.event('bot.word', { messageId: 'msg_1', word })
  gateway.event('bot.speaking', { messageId: 'msg_2', text: '' })
  gateway.event('bot.word', { messageId: 'msg_2', word: 'Bye' })
  await until('all were said', () => texts.length === 6)
  assert.deepEqual(texts, [
    'Good',
    'Good morning',
    'Good morning,',
    'Good morning, Ana',
    'Good morning, Ana.',
    'Bye',
  ])
})

test('each command of a call is sent as its frame, and a callback returns nothing (ND-91)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const returned: unknown[] = []
  agent.on('chat.started', (call) => {
    call.say('Hello')
    returned.push(call.callback('+34911234567', { when: 'tomorrow', note: 'about the invoice' }))
    returned.push(call.callback('+34911234567'))
    call.optOut()
    void call.transfer('+34911234568')
    void call.transfer('+34911234568', { kind: 'cold' })
    call.sendTones('12#')
    call.end()
  })
  gateway.event('chat.started', { call: chatCall })
  await until('it ended', () => gateway.sent('call.end').length === 1)
  const sent = gateway.frames.slice(1).map(({ request: _unique, ...frame }) => frame)
  assert.deepEqual(sent, [
    { type: 'call.say', call: 'call_1', text: 'Hello' },
    {
      type: 'call.callback',
      call: 'call_1',
      number: '+34911234567',
      when: 'tomorrow',
      note: 'about the invoice',
    },
    { type: 'call.callback', call: 'call_1', number: '+34911234567' },
    { type: 'call.opt_out', call: 'call_1' },
    { type: 'call.transfer', call: 'call_1', to: '+34911234568', kind: 'warm' },
    { type: 'call.transfer', call: 'call_1', to: '+34911234568', kind: 'cold' },
    { type: 'call.tones', call: 'call_1', digits: '12#' },
    { type: 'call.end', call: 'call_1' },
  ])
  assert.deepEqual(returned, [undefined, undefined])
})

test('an entry `error` of a call is an event of its own, and not an error of the agent', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const seen: unknown[] = []
  agent.on('call.error', (event) => void seen.push(event))
  agent.on('error', () => assert.fail('it was no refusal'))
  gateway.event('error', { code: 'llm_timeout', detail: 'no word within 8 s' })
  await until('it came', () => seen.length === 1)
  assert.deepEqual(seen, [{ code: 'llm_timeout', detail: 'no word within 8 s' }])
})
