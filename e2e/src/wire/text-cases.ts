import assert from 'node:assert/strict'
import type { WireCase } from './wire-suite.ts'

const hostile = {
  half: 'half \ud83d of a pair',
  pair: '😀 語 ﷺ é e\u0301',
  marks: '"\\ </script> \u2028 \u2029 \u007f \u0085 %s {0} \r\n\t',
  names: { __proto__x: 1, constructor: 2, 'a b': 3, '': 4 },
  numbers: [0, -0.5, 1e300, 9_007_199_254_740_991],
}
const frameLimit = 256 * 1024

export const textCases: readonly WireCase[] = [
  {
    name: 'hostile text in a result arrives as it is, half of a surrogate pair included, and without NUL',
    async run(fixture) {
      const { chats } = fixture
      const returns = { ...hostile, nul: 'a\u0000b' }
      const { agent } = await fixture.newAgent({ tools: [{ name: 'text', returns }] })
      chats.model.reply = ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'text', arguments: hostile }] }
      const { chat, call } = await fixture.newChat(agent)
      await fixture.send(chat, 'please')
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      const [{ result }] = await fixture.frames('to gateway', 'tool.result')
      assert.deepEqual(result, { ...hostile, nul: 'ab' })
      const [{ arguments: given }] = fixture.driver.reported({ event: 'tool', call })
      assert.deepEqual(given.pair, hostile.pair)
      assert.deepEqual(given.marks, hostile.marks)
      assert.deepEqual(given.numbers, hostile.numbers)
      await fixture.frames('to client', 'tool.received')
    },
  },
  {
    name: 'hostile text that is said or written arrives, and the connection stays',
    async run(fixture) {
      const { driver, line } = fixture
      const { agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent, line.url)
      for (const text of [hostile.half, hostile.pair, hostile.marks]) {
        await driver.ask('say', { call, text: `${text}\u0000` })
        await fixture.send(chat, text)
      }
      const said = (await fixture.frames('to gateway', 'call.say', 3)).map(({ text }) => text)
      assert.deepEqual(said, [hostile.half, hostile.pair, hostile.marks])
      const written = line.frames('to gateway', 'message').map(({ text }) => text)
      assert.deepEqual(written, said)
      await fixture.reported({ event: 'chat.message', chat, text: hostile.marks })
      await fixture.reported({ event: 'chat.message', chat, text: hostile.pair })
      const turns = await driver.ask('history', { call })
      assert.equal(turns.filter(({ text }: { text: string }) => text === hostile.pair).length, 2)
      assert.equal(line.attempts.length, 2)
    },
  },
  {
    name: 'a frame that cannot be read is passed over, and the connection continues',
    async run(fixture) {
      const { driver, line } = fixture
      const { agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent)
      const unreadable = [
        '[]',
        'null',
        '{',
        '7',
        '{"type":7}',
        `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      ]
      for (const text of unreadable) line.send(text)
      line.send({ type: 'llm.toolCall', agent, call, data: {} })
      line.send({ type: 'msgapp.started', agent, call, data: {} })
      line.send({ type: 'something.new', agent, call, data: { of: 'a later version' } })
      line.send({ type: 'tool.received', call: 'unknown', id: 'unknown' })
      await fixture.send(chat, 'hello')
      await fixture.reported({ event: 'user.message', agent, call })
      assert.equal(await driver.ask('state', { agent }), 'ready')
      assert.equal(line.attempts.length, 1)
    },
  },
  {
    name: 'a result of a quarter of a megabyte arrives, a longer one is an error that the model reads',
    async run(fixture) {
      const { chats, line } = fixture
      const tools = [
        { name: 'fits', repeats: { text: '語', times: 85_000 } },
        { name: 'exceeds', repeats: { text: 'x', times: frameLimit } },
      ]
      const { agent } = await fixture.newAgent({ tools })
      const { chat, call } = await fixture.newChat(agent)
      for (const [i, { name }] of tools.entries()) {
        chats.model.reply = ({ messages }) =>
          messages.at(-1)?.role === 'tool'
            ? `Done ${name}.`
            : { calls: [{ name, arguments: { padding: 'y'.repeat(100_000) } }] }
        await fixture.send(chat, `please ${i}`)
        await fixture.reported({ event: 'chat.message', chat, text: `Done ${name}.` })
      }
      const [fits, exceeds] = await fixture.frames('to gateway', 'tool.result', 2)
      assert.equal(fits.result, '語'.repeat(85_000))
      assert.match(exceeds.error, /^a frame is at most 262144 bytes, and this one would be 262\d\d\d$/)
      const [{ arguments: given }] = fixture.driver.reported({ event: 'tool', call })
      assert.equal(given.padding.length, 100_000)
      assert.equal(line.attempts.length, 1)
    },
  },
  {
    name: 'a prompt that no frame can carry raises FRAME_TOO_LONG and is not sent',
    async run(fixture) {
      const { driver, line } = fixture
      const app = await fixture.newApp()
      await fixture.reported({ event: 'connected', app })
      const asked = { app, agent: fixture.newName('agent'), prompt: '語'.repeat(100_000) }
      await assert.rejects(driver.ask('hold', asked), { code: 'FRAME_TOO_LONG' })
      assert.deepEqual(line.frames('to gateway', 'agent.register'), [])
    },
  },
  {
    name: 'an error of a tool is cut to 2000 characters',
    async run(fixture) {
      const { chats } = fixture
      const { agent } = await fixture.newAgent({ tools: [{ name: 'breaks', raises: 'long '.repeat(1000) }] })
      chats.model.reply = ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'breaks' }] }
      const { chat } = await fixture.newChat(agent)
      await fixture.send(chat, 'please')
      await fixture.reported({ event: 'chat.message', chat, text: 'Done.' })
      const [{ error }] = await fixture.frames('to gateway', 'tool.result')
      assert.equal(error.length, 2000)
    },
  },
]
