import assert from 'node:assert/strict'
import { until } from '@switchroom/gateway/testing/until'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import type { WireCase } from './wire-suite.ts'

export const callCases: readonly WireCase[] = [
  {
    name: 'an app says, asks for a callback, reads the log and ends the call',
    async run(fixture) {
      const { driver } = fixture
      const { agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent)
      const { from, transport } = await fixture.reported({ event: 'chat.started', agent, call })
      assert.deepEqual([from, transport], ['+34911234567', 'chat'])
      await fixture.send(chat, 'hello')
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello.' })
      await driver.ask('say', { call, text: 'You will be called.' })
      await driver.ask('callback', { call, number: '+34911234567', when: 'tomorrow', note: 'the invoice' })
      const { data } = await fixture.reported({ event: 'callback.requested', agent, call })
      assert.deepEqual([data.number, data.when, data.note], ['+34911234567', 'tomorrow', 'the invoice'])
      await fixture.reported({ event: 'chat.message', chat, text: 'You will be called.' })
      assert.deepEqual(await driver.ask('history', { call }), [
        { who: 'contact', text: 'hello', role: 'user' },
        { who: 'agent', text: 'Hello.', role: 'assistant' },
        { who: 'agent', text: 'You will be called.', role: 'assistant' },
      ])
      const entries: { seq: number; type: string }[] = await driver.ask('entries', { call })
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        entries.map((_entry, i) => i + 1),
      )
      assert.ok(entries.some(({ type }) => type === 'callback.requested'))
      await driver.ask('end', { call })
      const ended = await fixture.reported({ event: 'call.ended', agent, call })
      assert.equal(ended.data.reason, 'hangup')
      await fixture.reported({ event: 'chat.ended', chat, reason: 'hangup' })
      await assert.rejects(driver.ask('send', { chat, text: 'too late' }), { code: 'ENDED' })
    },
  },
  {
    name: 'a phone call is transferred, sent tones and its caller put on the list; a chat refuses what it cannot do with a sentence',
    async run(fixture) {
      const { driver, chats, line } = fixture
      const { agent } = await fixture.newAgent()
      const phone = await new SpokenAgent(chats.deployment, chats.org, agent).route()
      const spoken = await phone.open()
      await phone.append(spoken, [{ type: 'user.message', data: { text: 'me', messageId: 'm1' } }])
      await fixture.reported({ event: 'user.message', agent, call: spoken })
      void driver.ask('transfer', { call: spoken, to: '+34911111111', kind: 'cold' })
      await driver.ask('sendTones', { call: spoken, digits: '12#' })
      await driver.ask('optOut', { call: spoken })
      const typesOf = async () =>
        (await driver.ask('entries', { call: spoken })).map(({ type }: { type: string }) => type)
      await until('all are in the log', async () => (await typesOf()).includes('call.opt_out'))
      assert.ok((await typesOf()).includes('tones.requested'))
      const [sent] = line.frames('to gateway', 'call.transfer')
      assert.partialDeepStrictEqual(sent, {
        type: 'call.transfer',
        call: spoken,
        to: '+34911111111',
        kind: 'cold',
      })
      await phone.append(spoken, [{ type: 'call.ended', data: { reason: 'hangup' } }])
      const { call } = await fixture.newChat(agent)
      const why = `call ${call} is written, and so cannot be transferred`
      const outcome = await driver.ask('transfer', { call, to: '+34911111111', kind: 'warm' })
      assert.deepEqual(outcome, { ok: false, why })
      await driver.ask('sendTones', { call, digits: '1' })
      for (const detail of [why, `call ${call} is no phone call, and so cannot be sent tones`])
        await fixture.reported({ event: 'error', agent, code: 'BAD_FRAME', detail })
    },
  },
  {
    name: 'a transfer answers what happened to it, each in its order, and the end of the call ends what is left',
    async run(fixture) {
      const { driver, chats } = fixture
      const { agent } = await fixture.newAgent()
      const phone = await new SpokenAgent(chats.deployment, chats.org, agent).route()
      const call = await phone.open()
      await phone.append(call, [{ type: 'user.message', data: { text: 'me', messageId: 'm1' } }])
      await fixture.reported({ event: 'user.message', agent, call })
      const to = '+34911111111'
      const begun = [1, 2, 3].map(() => driver.ask('transfer', { call, to, kind: 'warm' }))
      await fixture.frames('to gateway', 'call.transfer', 3)
      const settled = (more: object) => ({ type: 'call.transferred', data: { to, kind: 'warm', ...more } })
      await phone.append(call, [
        { type: 'call.transferred', data: { to: '+34922222222', kind: 'warm', ok: true } },
        settled({ ok: false, why: 'busy' }),
        settled({ ok: true }),
      ])
      assert.deepEqual(await begun[0], { ok: false, why: 'busy' })
      assert.deepEqual(await begun[1], { ok: true })
      const nowhere = await driver.ask('transfer', { call, to: ' ', kind: 'warm' })
      const { detail } = await fixture.reported({ event: 'error', agent, code: 'BAD_FRAME' })
      assert.deepEqual(nowhere, { ok: false, why: detail })
      await phone.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
      const over = { ok: false, why: 'the call has ended' }
      assert.deepEqual(await begun[2], over)
      assert.deepEqual(await driver.ask('transfer', { call, to, kind: 'warm' }), over)
    },
  },
  {
    name: 'metadata of a chat reaches the agent and fills its greeting and prompt; a malformed template and too much metadata are refused',
    async run(fixture) {
      const { driver, line, chats } = fixture
      const { app, agent } = await fixture.newAgent({
        prompt: 'You speak with {{name|a new customer}}, who came {{visits|0}} times from {{city|Rome}}.',
        settings: { greeting: { say: 'Hello {{name|there}}.' } },
      })
      const metadata = { name: 'Ana "語"', visits: 3, tags: ['a'] }
      const { chat, call } = await fixture.newChat(agent, line.url, { metadata })
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello Ana "語".' })
      const started = await fixture.reported({ event: 'chat.started', agent, call })
      assert.deepEqual(started.metadata, metadata)
      await fixture.send(chat, 'me')
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello.' })
      const [system] = chats.model.asked.at(-1)?.messages ?? []
      assert.match(String(system?.content), /You speak with Ana "語", who came 3 times from Rome\./)
      line.cut()
      await fixture.send(chat, 'after all') // it comes back without its metadata
      await assert.rejects(
        driver.ask('hold', { app, agent: fixture.newName('agent'), prompt: 'For {{first name}}' }),
        ({ code, detail }: { code: string; detail: string }) =>
          code === 'BAD_FRAME' && detail.startsWith('the prompt '),
      )
      await assert.rejects(fixture.newChat(agent, line.url, { metadata: { long: 'x'.repeat(4096) } }), {
        code: 'BAD_REQUEST',
        detail: 'metadata is at most 4096 bytes of JSON',
        status: 400,
      })
    },
  },
  {
    name: 'a chat resumes after a lost connection: nothing is missed, nothing comes twice, and what was written is sent once',
    async run(fixture) {
      const { driver, line, chats } = fixture
      chats.model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
      const { agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent, line.url)
      await fixture.send(chat, 'one')
      await fixture.reported({ event: 'chat.message', chat, text: 'You said one' })
      line.refusal = { status: 503, detail: 'away' }
      line.cut()
      const second = fixture.send(chat, 'two')
      await until('it tries again', () => line.attempts.length >= 4)
      line.refusal = undefined
      await second
      await fixture.reported({ event: 'chat.message', chat, text: 'You said two' })
      line.loses = (direction, frame) => direction === 'to client' && frame.type === 'heard'
      const third = fixture.send(chat, 'three')
      await until('it was heard', () =>
        line.frames('to client', 'heard').some(({ text }) => text === 'three'),
      )
      line.loses = () => false
      line.cut()
      await third
      await fixture.reported({ event: 'chat.message', chat, text: 'You said three' })
      await driver.ask('endChat', { chat })
      const texts = driver.reported({ event: 'chat.message', chat }).map(({ text }) => text)
      assert.deepEqual(texts, ['You said one', 'You said two', 'You said three'])
      const { rows } = await chats.deployment.sql(
        "select entry from entries where log = $1 and type = 'user.message' order by seq",
        [call],
      )
      assert.deepEqual(
        rows.map(({ entry }) => JSON.parse(entry).data.text),
        ['one', 'two', 'three'],
      )
    },
  },
  {
    name: "a chat that is refused raises the gateway's sentence, and a blank message is refused alone",
    async run(fixture) {
      const { driver, line } = fixture
      const asked = { chat: 'none', url: line.url, key: fixture.key, agent: 'nobody-holds-this' }
      await assert.rejects(
        driver.ask('openChat', asked),
        ({ code, detail }: { code: string; detail: string }) => {
          assert.equal(code, 'AGENT_OFFLINE')
          assert.ok(detail.length > 10 && !detail.includes('without a reason'), detail)
          return true
        },
      )
      const { agent } = await fixture.newAgent()
      const { chat } = await fixture.newChat(agent, line.url)
      await assert.rejects(driver.ask('send', { chat, text: '  ' }), { code: 'BAD_FRAME' })
      await fixture.send(chat, 'not blank')
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello.' })
    },
  },
  {
    name: 'the log of a call is followed to its end, each entry once, also over a lost connection',
    async run(fixture) {
      const { driver, line } = fixture
      const { agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent)
      const following = driver.ask('follow', { call, url: line.url, key: fixture.key })
      await fixture.send(chat, 'one')
      await fixture.reported({ event: 'chat.message', chat, text: 'Hello.' })
      await fixture.reported({ event: 'followed', call })
      line.cut()
      await fixture.isBack(agent, 2)
      await fixture.send(chat, 'two')
      await driver.ask('endChat', { chat })
      const seqs: number[] = await following
      const { rows } = await fixture.chats.deployment.sql(
        'select seq from entries where log = $1 order by seq',
        [call],
      )
      assert.deepEqual(
        seqs,
        rows.map(({ seq }) => Number(seq)),
      )
    },
  },
]
