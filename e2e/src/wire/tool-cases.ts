import assert from 'node:assert/strict'
import { until } from '@switchroom/gateway/testing/until'
import type { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import type { WireCase, WireFixture } from './wire-suite.ts'

/** The model calls the tool for each message of the contact, and then says `Done.`. */
function calls(model: ModelFake, name: string, args: object = {}) {
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name, arguments: args }] }
}

/** What the model read of the tools of a call. */
const readBy = (model: ModelFake) =>
  model.asked.flatMap(({ messages }) => (messages.at(-1)?.role === 'tool' ? [messages.at(-1)?.content] : []))

/** A chat whose message made the model call the tool. */
async function withTool(
  fixture: WireFixture,
  tool: { name: string } & Record<string, unknown>,
  args?: object,
) {
  const { agent, app } = await fixture.newAgent({ tools: [tool] })
  calls(fixture.chats.model, tool.name, args)
  const { chat, call } = await fixture.newChat(agent)
  await fixture.send(chat, 'please')
  return { agent, app, chat, call, runs: () => fixture.driver.reported({ event: 'tool', call }) }
}

export const toolCases: readonly WireCase[] = [
  {
    name: 'a tool runs with the arguments of the model, and the model reads what it returns',
    async run(fixture) {
      const returns = { bread: ['rye', 'wheat'], open: true, price: 2.5, note: null }
      const { chat, call, runs } = await withTool(
        fixture,
        { name: 'menu', returns },
        { day: 'Monday', count: 2 },
      )
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      const [{ arguments: args }] = runs()
      assert.deepEqual(args, { day: 'Monday', count: 2 })
      const [sent, ...more] = await fixture.frames('to gateway', 'tool.result')
      assert.deepEqual(sent, { type: 'tool.result', call, id: sent.id, result: returns })
      assert.deepEqual(more, [])
      assert.deepEqual(JSON.parse(readBy(fixture.chats.model).at(-1) ?? ''), returns)
      await fixture.frames('to client', 'tool.received')
    },
  },
  {
    name: 'a tool that takes longer than a second is covered by its words, and one past its own limit has failed for the model',
    async run(fixture) {
      const { driver, line } = fixture
      const gate = fixture.newName('gate')
      const terms = { timeoutMs: 2500, while: 'One moment, please.' }
      const { agent, chat, call, runs } = await withTool(fixture, { name: 'slow', waits: gate, ...terms })
      const [registered] = line.frames('to gateway', 'agent.register')
      assert.partialDeepStrictEqual(registered.tools, [{ name: 'slow', ...terms }])
      await fixture.reported({ event: 'chat.message', chat, text: terms.while })
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      assert.equal(readBy(fixture.chats.model).at(-1), 'the tool slow did not answer within 2.5 seconds')
      assert.equal(runs().length, 1)
      const covered = driver
        .reported({ event: 'agent.message', agent, call })
        .find(({ data }) => data.meanwhile === true)
      assert.equal(covered.data.text, terms.while)
      await driver.ask('open', { gate, value: 'too late' })
    },
  },
  {
    name: 'a tool that raises is an error that the model reads, and one of the agent',
    async run(fixture) {
      const { chat, agent, call } = await withTool(fixture, { name: 'book', raises: 'we are full' })
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      const [{ error, result }] = await fixture.frames('to gateway', 'tool.result')
      assert.deepEqual([error, result], ['we are full', undefined])
      assert.match(readBy(fixture.chats.model).at(-1) ?? '', /we are full/)
      const { detail } = await fixture.reported({ event: 'error', agent, code: 'HANDLER_FAILED' })
      assert.equal(detail, 'the tool book failed: we are full')
      const entry = await fixture.reported({ event: 'call.error', agent, call })
      assert.equal(entry.data.code, 'tool_failed')
    },
  },
  {
    name: 'a tool that is asked for twice runs once, while it runs and after it is done',
    async run(fixture) {
      const { driver, line } = fixture
      const gate = fixture.newName('gate')
      const { chat, runs } = await withTool(fixture, { name: 'slow', waits: gate })
      const [asked] = await fixture.frames('to client', 'llm.toolCall')
      await until('it runs', () => runs().length === 1)
      line.send(asked)
      line.send({
        ...asked,
        data: { ...asked.data, toolCalls: [{ ...asked.data.toolCalls[0], name: 'other' }] },
      })
      await driver.ask('open', { gate, value: 'once' })
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      assert.equal(line.frames('to gateway', 'tool.result').length, 1)
      line.send(asked)
      const [first, second] = await fixture.frames('to gateway', 'tool.result', 2)
      assert.deepEqual(second, first)
      await fixture.frames('to client', 'tool.received', 2)
      assert.equal(runs().length, 1)
      assert.equal(readBy(fixture.chats.model).filter((text) => text === 'once').length, 1)
    },
  },
  {
    name: 'a tool that this app does not have is not answered',
    async run(fixture) {
      const { line } = fixture
      const { agent } = await fixture.newAgent({ tools: [{ name: 'mine', returns: 1 }] })
      const { chat, call } = await fixture.newChat(agent)
      const toolCalls = [{ id: 'tool_x', name: 'of another', arguments: '{}' }]
      line.send({ type: 'llm.toolCall', agent, call, data: { msgId: 'msg_x', toolCalls } })
      await fixture.send(chat, 'hello')
      await fixture.reported({ event: 'agent.message', agent, call })
      assert.deepEqual(line.frames('to gateway', 'tool.result'), [])
    },
  },
  {
    name: 'a result that was lost with the connection is sent again after the reconnect, and the tool ran once',
    async run(fixture) {
      const { line } = fixture
      line.loses = (direction, frame) => direction === 'to gateway' && frame.type === 'tool.result'
      const { agent, chat, runs } = await withTool(fixture, { name: 'menu', returns: 'rye' })
      await fixture.frames('to gateway', 'tool.result')
      line.loses = () => false
      line.cut()
      await fixture.isBack(agent, 2)
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      const results = await fixture.frames('to gateway', 'tool.result', 2)
      for (const result of results) assert.deepEqual(result, results[0])
      assert.equal(runs().length, 1)
    },
  },
  {
    name: 'a result is sent again until tool.received comes for it, and then no more',
    async run(fixture) {
      const { driver, line } = fixture
      line.loses = (direction, frame) => direction === 'to client' && frame.type === 'tool.received'
      const { agent, chat, call, runs } = await withTool(fixture, { name: 'menu', returns: 'seen once' })
      await fixture.frames('to client', 'tool.received')
      line.loses = () => false
      line.cut()
      await fixture.isBack(agent, 2)
      await fixture.frames('to client', 'tool.received', 2)
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      // a gateway that does not know what arrived may ask again, and is answered
      const unasked = () =>
        line.frames('to gateway', 'tool.result').length - line.frames('to client', 'llm.toolCall').length
      const isReceived = () =>
        line.frames('to client', 'tool.received').length >= line.frames('to gateway', 'tool.result').length
      await until('each of them is received', isReceived)
      const before = unasked()
      line.cut()
      await fixture.isBack(agent, 3)
      await driver.ask('say', { call, text: 'after all' })
      await fixture.reported({ event: 'chat.message', chat, text: 'after all' })
      await until('what was asked again is answered', () => unasked() >= before)
      assert.equal(unasked(), before)
      assert.equal(runs().length, 1)
      assert.equal(readBy(fixture.chats.model).filter((text) => text === 'seen once').length, 1)
    },
  },
  {
    name: 'a tool that is done while the connection is lost answers after the reconnect',
    async run(fixture) {
      const { driver, line } = fixture
      const gate = fixture.newName('gate')
      const { agent, app, chat, runs } = await withTool(fixture, { name: 'slow', waits: gate })
      await until('it runs', () => runs().length === 1)
      line.refusal = { status: 503, detail: 'away' }
      line.cut()
      await fixture.reported({ event: 'disconnected', app })
      await driver.ask('open', { gate, value: 'late' })
      line.refusal = undefined
      await fixture.isBack(agent, 2)
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      assert.equal(runs().length, 1)
      assert.equal(readBy(fixture.chats.model).at(-1), 'late')
    },
  },
  {
    name: 'close unregisters the agents, waits for running tools and their results, and then closes',
    async run(fixture) {
      const { driver, line } = fixture
      const gate = fixture.newName('gate')
      const { app, agent, runs } = await withTool(fixture, { name: 'slow', waits: gate })
      await until('it runs', () => runs().length === 1)
      let isClosed = false
      const closing = driver.ask('close', { app }).then(() => (isClosed = true))
      await fixture.frames('to gateway', 'agent.unregister')
      assert.equal(isClosed, false)
      await driver.ask('open', { gate, value: 'at last' })
      await closing
      const [{ result }] = line.frames('to gateway', 'tool.result')
      assert.equal(result, 'at last')
      assert.equal(line.frames('to client', 'tool.received').length, 1)
      await until('the socket is closed', () => line.sockets === 0)
      assert.equal(line.attempts.length, 1)
      assert.equal(await driver.ask('state', { agent }), 'pending')
    },
  },
  {
    name: 'a turn continues with what the handlers of call.preparing set',
    async run(fixture) {
      const { agent } = await fixture.newAgent({ prompt: 'Be exact.', preparing: { timeoutMs: 10_000 } })
      const { chat, call } = await fixture.newChat(agent)
      await fixture.send(chat, 'hello')
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello.' })
      const [settled] = await fixture.frames('to gateway', 'preparing.settled')
      assert.deepEqual(settled, { type: 'preparing.settled', call, turn: 1, set: { context: 'turn 1' } })
      const asked = fixture.chats.model.asked
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n')
      assert.match(asked ?? '', /turn 1/)
    },
  },
]
