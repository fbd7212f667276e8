import assert from 'node:assert/strict'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { until } from '@switchroom/gateway/testing/until'
import type { WireCase } from './wire-suite.ts'

const nameRule =
  "an agent's name is lower-case letters, digits, - and _, at most 63, and starts with a letter or digit"

export const connectionCases: readonly WireCase[] = [
  {
    name: 'one socket registers several agents, each with what its code declares, as one instance',
    async run(fixture) {
      const { driver, line } = fixture
      const app = fixture.newName('app')
      await driver.ask('connect', { app, url: line.url, key: fixture.key, name: 'front desk' })
      const tools = [{ name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } }]
      const [first, second] = [fixture.newName('agent'), fixture.newName('agent')]
      const settings = { greeting: { say: 'Hello' }, language: 'en' }
      await driver.ask('hold', {
        app,
        agent: first,
        prompt: 'Be brief.',
        tools,
        settings,
        preparing: { timeoutMs: 500 },
      })
      await driver.ask('hold', { app, agent: second })
      const [registered, bare] = line.frames('to gateway', 'agent.register')
      assert.match(registered.instance, /^[\x21-\x7e]{10,128}$/)
      const { instance } = registered
      assert.partialDeepStrictEqual(registered, {
        type: 'agent.register',
        agent: first,
        instance,
        app: 'front desk',
        prompt: 'Be brief.',
        declares: settings,
        tools: [{ name: 'add', description: 'the tool add', parameters: tools[0]?.parameters }],
        preparing: { timeoutMs: 500 },
      })
      assert.partialDeepStrictEqual(bare, {
        type: 'agent.register',
        agent: second,
        instance,
        app: 'front desk',
        tools: [],
      })
      const [answer] = line.frames('to client', 'agent.registered')
      assert.deepEqual(answer.fixed.toSorted(), ['greeting', 'language'])
      assert.equal(line.sockets, 1)
      assert.equal(await driver.ask('state', { agent: first }), 'ready')
    },
  },
  {
    name: "a refused registration raises the gateway's code and sentence, and other agents are registered",
    async run(fixture) {
      const { driver } = fixture
      const app = await fixture.newApp()
      const refused = { code: 'BAD_FRAME', detail: nameRule }
      await assert.rejects(driver.ask('hold', { app, agent: 'Wrong Name' }), refused)
      await fixture.reported({ event: 'error', agent: 'Wrong Name', ...refused })
      assert.equal(await driver.ask('state', { agent: 'Wrong Name' }), 'refused')
      await driver.ask('hold', { app, agent: fixture.newName('agent') })
    },
  },
  {
    name: 'a refused key raises the code and the sentence of the gateway, once, and is tried again',
    async run(fixture) {
      const { driver, line } = fixture
      const app = await fixture.newApp('svc_live_wrong')
      const agent = fixture.newName('agent')
      await assert.rejects(driver.ask('hold', { app, agent }), { code: 'INVALID_KEY', status: 401 })
      await until('it tried again', () => line.attempts.length >= 3)
      const [told, ...more] = driver.reported({ event: 'error', agent })
      assert.ok(told.detail.length > 10)
      assert.deepEqual(more, [])
      await driver.ask('close', { app })
    },
  },
  {
    name: 'a busy gateway is waited for, with pauses that double, and the agent is registered once it serves',
    async run(fixture) {
      const { driver, line } = fixture
      line.refusal = { status: 503, detail: 'not yet' }
      const app = await fixture.newApp()
      const agent = fixture.newName('agent')
      const held = driver.ask('hold', { app, agent })
      await until('it tried five times', () => line.attempts.length >= 5)
      const pauses = line.attempts.slice(1).map((at, i) => at - (line.attempts[i] ?? 0))
      for (const [i, shortestMs] of [100, 200, 400, 800].entries())
        assert.ok((pauses[i] ?? 0) >= shortestMs - 20, `pause ${i} was ${pauses[i]} ms`)
      assert.equal(await driver.ask('state', { agent }), 'pending')
      assert.deepEqual(driver.reported({ event: 'error', agent }), [])
      line.refusal = undefined
      await held
    },
  },
  {
    name: 'after a lost connection it registers as the same instance, then sends what the app said meanwhile, in order',
    async run(fixture) {
      const { driver, line } = fixture
      const { app, agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent)
      line.refusal = { status: 503, detail: 'away' }
      line.cut()
      await fixture.reported({ event: 'disconnected', app })
      assert.equal(await driver.ask('state', { agent }), 'pending')
      await driver.ask('say', { call, text: 'Still here' })
      await driver.ask('callback', { call, number: '+34911234567', when: 'tomorrow' })
      const before = line.seen.length
      line.refusal = undefined
      await fixture.isBack(agent, 2)
      await fixture.reported({ event: 'chat.message', chat, text: 'Still here' })
      await fixture.reported({ event: 'callback.requested', agent, call })
      const expected = ['agent.register', 'call.say', 'call.callback']
      const sent = line.seen
        .slice(before)
        .filter(({ direction, frame }) => direction === 'to gateway' && expected.includes(frame.type))
      assert.deepEqual(
        sent.map(({ frame }) => frame.type),
        expected,
      )
      const instances = line.frames('to gateway', 'agent.register').map(({ instance }) => instance)
      assert.equal(new Set(instances).size, 1)
      await fixture.send(chat, 'are you there?')
      await fixture.reported({ event: 'user.message', agent, call })
      assert.deepEqual(sent[2]?.frame, {
        type: 'call.callback',
        call,
        number: '+34911234567',
        when: 'tomorrow',
      })
    },
  },
  {
    name: 'what happens while the connection is lost comes after it, each event once, and is acknowledged',
    async run(fixture) {
      const { line } = fixture
      const { app, agent } = await fixture.newAgent()
      const { chat, call } = await fixture.newChat(agent)
      await fixture.send(chat, 'before')
      await fixture.reported({ event: 'user.message', agent, call })
      line.refusal = { status: 503, detail: 'away' }
      line.loses = (_direction, frame) => frame.type === 'events.ack' // so that the gateway sends some again
      line.cut()
      await fixture.reported({ event: 'disconnected', app })
      await fixture.send(chat, 'meanwhile')
      line.refusal = undefined
      line.loses = () => false
      await fixture.isBack(agent, 2)
      await fixture.reported({ event: 'user.message', agent, call }, 2)
      await fixture.send(chat, 'after')
      await fixture.reported({ event: 'user.message', agent, call }, 3)
      const texts = fixture.driver
        .reported({ event: 'user.message', agent, call })
        .map(({ data }) => data.text)
      assert.deepEqual(texts, ['before', 'meanwhile', 'after'])
      const last = (await fixture.frames('to client', 'user.message')).at(-1)
      await until('it is acknowledged', () =>
        line
          .frames('to gateway', 'events.ack')
          .some(({ calls }) => calls.some((each: { seq: number }) => each.seq >= last.seq)),
      )
    },
  },
  {
    name: 'a released agent is held no longer, and a closed connection raises CLOSED',
    async run(fixture) {
      const { driver, line, chats } = fixture
      const { app, agent } = await fixture.newAgent()
      const client = chats.deployment.anonymous.as(fixture.key)
      const isHeld = async () => {
        const { body } = await client.get('/v1/agents')
        return body.agents.find((each: { agent: string }) => each.agent === agent)?.held
      }
      assert.equal(await isHeld(), true)
      await driver.ask('release', { app, agent })
      await until('it is free', async () => (await isHeld()) === false)
      assert.equal(await driver.ask('state', { agent }), 'pending')
      assert.deepEqual(line.frames('to gateway', 'agent.unregister'), [{ type: 'agent.unregister', agent }])
      await driver.ask('close', { app })
      await until('the socket is closed', () => line.sockets === 0)
      await assert.rejects(driver.ask('hold', { app, agent }), {
        code: 'CLOSED',
        detail: 'the connection was closed by close(): connect again',
      })
      assert.equal(line.attempts.length, 1)
    },
  },
  {
    name: 'an app hears who holds its agent beside it, and one that holds it exclusively keeps others away',
    async run(fixture) {
      const { driver } = fixture
      const [own, other] = [await fixture.newApp(), await fixture.newApp()]
      const agent = fixture.newName('agent')
      await driver.ask('hold', { app: own, agent, balance: true })
      assert.deepEqual(driver.reported({ event: 'holders', agent }), [])
      await driver.ask('hold', { app: other, agent, balance: true })
      const shared = await fixture.reported({ event: 'holders', agent, newCalls: 'in turn' }, 2)
      const [{ processes }, ...more] = shared.apps
      assert.deepEqual([processes, more], [2, []])
      await driver.ask('release', { app: other, agent })
      const [alone] = (await fixture.reported({ event: 'holders', agent, newCalls: 'here' })).apps
      assert.equal(alone.processes, 1)

      const kept = fixture.newName('agent')
      await driver.ask('hold', { app: own, agent: kept, exclusive: true })
      await assert.rejects(driver.ask('hold', { app: other, agent: kept }), { code: 'AGENT_HELD' })
      await driver.ask('close', { app: other })
    },
  },
  {
    name: 'a line has the calls of its number and hands them to an agent',
    async run(fixture) {
      const { driver, chats } = fixture
      const { app, agent } = await fixture.newAgent()
      const phone = await new SpokenAgent(chats.deployment, chats.org, agent).route()
      await assert.rejects(driver.ask('holdLine', { app, number: '+15550001', agent }), {
        code: 'PHONE_NOT_IN_ORG',
      })
      await driver.ask('holdLine', { app, number: phone.number, agent })
      const call = await phone.open({ extension: '12' })
      const rang = await fixture.reported({ event: 'line.call', line: phone.number })
      assert.deepEqual([rang.call, rang.extension], [call, '12'])
      const outcome = await fixture.reported({ event: 'line.outcome', line: phone.number })
      assert.equal(outcome.routed, true, JSON.stringify(outcome))
      await fixture.reported({ event: 'call.started', agent, call })
      await phone.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
      await fixture.reported({ event: 'call.ended', agent, call })
    },
  },
]
