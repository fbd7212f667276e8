import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf, whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { Agents } from '../../agents/agents.ts'
import { Routing } from './routing.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql } = deployment
const org = await deployment.newOrg()
const { key, client: team } = await org.serverToken('sandbox')
const phone = await new SpokenAgent(deployment, org, 'desk').route()
const line = await AppClient.connect(deployment.url, key)
assert.equal((await line.ask({ type: 'line.register', number: phone.number })).type, 'ready')
const sales = await AppClient.connect(other.url, key)
assert.equal((await sales.register('sales')).type, 'agent.registered')

const framesOf = (app: AppClient, call: string) => app.frames.filter((frame) => frame.call === call)
const frameOf = (app: AppClient, type: string, call: string) =>
  until(`${type} comes`, () => framesOf(app, call).find((frame) => frame.type === type))
const said = (type: string, text: string) => ({ type, data: { text, messageId: text } })
const route = (call: string, agent: string) => line.send({ type: 'call.route', call, agent })

test('a line hands a call over: the agent drives it with all that was said, and the line is done with it (ND-93, N-418, N-419, N-477, N-478, N-479, T-103)', async () => {
  done(await team.put('/v1/agents/sales/settings', { config: { max_duration_s: 77 }, if_version: 0 }))
  const call = await phone.open({ extension: '7' })
  const before = Date.now()
  done(await phone.append(call, [said('user.message', 'Sales, please.')]))
  done(await phone.append(call, [said('agent.message', 'One moment.')]))
  await frameOf(line, 'agent.message', call)
  route(call, 'sales')

  const routed = await frameOf(line, 'call.routed', call)
  assert.deepEqual(routed, {
    type: 'call.routed',
    line: phone.number,
    agent: 'desk',
    call,
    data: { callId: call, agent: 'sales' },
  })
  const ended = await frameOf(line, 'call.ended', call)
  assert.deepEqual([ended.line, ended.data.reason, ended.data.call.id], [phone.number, 'routed', call])

  const { data, agent } = await frameOf(sales, 'call.started', call)
  assert.equal(agent, 'sales')
  const { lineTranscript, ...told } = data.call
  assert.deepEqual(
    [told.agent, told.routedFrom, told.extension, told.reason, told.endedAt],
    ['sales', phone.number, '7', undefined, undefined],
  )
  const [first, second] = lineTranscript
  assert.ok(first.at >= before - 10_000 && second.at >= first.at && second.at <= Date.now() + 10_000)
  assert.deepEqual(
    lineTranscript.map(({ at, ...turn }: { at: number }) => (assert.ok(Number.isInteger(at)), turn)),
    [
      { who: 'caller', text: 'Sales, please.', role: 'user', content: 'Sales, please.' },
      { who: 'line', text: 'One moment.', role: 'assistant', content: 'One moment.' },
    ],
  )

  done(await phone.append(call, [said('user.message', 'I would like to buy.')]))
  await frameOf(sales, 'user.message', call)
  assert.deepEqual(
    framesOf(sales, call)
      .map(({ type }) => type)
      .filter((type) => type !== 'call.passed'),
    ['call.routed', 'call.started', 'user.message'],
  )
  assert.deepEqual(
    framesOf(line, call).map(({ type }) => type),
    ['line.answered', 'call', 'user.message', 'agent.message', 'call.routed', 'call.ended'],
  )
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(
    entries.map(({ type, agent: of }) => `${of} ${type}`),
    [
      'desk line.answered',
      'desk call',
      'desk user.message',
      'desk agent.message',
      'sales call.routed',
      'sales call.started',
      'sales user.message',
    ],
  )
  assert.deepEqual(entries[4]?.data, { callId: call, agent: 'sales' })
})

test('a call that was handed over runs the current settings of its new agent, for its worker as well (ND-93, SD-36)', async () => {
  const agent = new TestAgent(team)
  await agent.setVersions(3)
  await agent.setCanary(1, 100)
  const app = await AppClient.connect(deployment.url, key)
  await app.register(agent.slug)
  const call = await phone.open()
  route(call, agent.slug)
  await frameOf(app, 'call.started', call)
  const settings = done(await team.get(`/v1/calls/${call}/settings`))
  assert.deepEqual([settings.config_version, settings.canary], [1, true])
  const config = await agent.config(deployment.anonymous.as(fleetKey), call)
  assert.deepEqual([config.agent, config.config_version, config.config.max_duration_s], [agent.slug, 1, 1])
  await app.close()
})

test('a call that cannot be handed over stays with its line as it was (ND-93, N-481, N-482, N-483)', async () => {
  const mute = new TestAgent(team)
  await mute.keepUnjudged(deployment, { stt: 'deepgram/nova-3' })
  await sales.register(mute.slug)
  await new TestAgent(team).set(team, {})
  const offline = new TestAgent(team)
  await offline.set(team, {})
  const call = await phone.open()
  const failures = {
    'no-such': 'unknown',
    'No Such!': 'unknown',
    [offline.slug]: 'offline',
    [mute.slug]: 'no_phone_config',
  }
  for (const [agent, reason] of Object.entries(failures)) {
    const count = framesOf(line, call).length
    route(call, agent)
    const failed = await until('it is answered', () =>
      framesOf(line, call)
        .slice(count)
        .find(({ type }) => type === 'call.route_failed'),
    )
    assert.deepEqual(failed, {
      type: 'call.route_failed',
      line: phone.number,
      agent: 'desk',
      call,
      data: { callId: call, agent, reason },
    })
  }
  done(await phone.append(call, [said('user.message', 'still here')]))
  await frameOf(line, 'user.message', call)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['line.answered', 'call', 'user.message'])
})

test('a swap that breaks half way leaves nothing behind, and the line may try again (N-482, N-483)', async () => {
  const call = await phone.open()
  await sql(`create function break_swap() returns trigger language plpgsql as
    $$ begin if new.id = '${call}' and new.routed_from is not null then raise exception 'broken'; end if; return new; end $$`)
  await sql('create trigger breaks before update on calls for each row execute function break_swap()')
  route(call, 'sales')
  const failed = await frameOf(line, 'call.route_failed', call)
  assert.equal(failed.data.reason, 'swap_failed')
  await sql('drop trigger breaks on calls')
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['line.answered', 'call'])
  const { rows } = await sql('select agent, line, routed_from from calls where id = $1', [call])
  assert.deepEqual(rows, [{ agent: 'desk', line: phone.number, routed_from: null }])
  route(call, 'sales')
  await frameOf(sales, 'call.started', call)
})

test("a line keeps a call that no worker could run as the agent's (N-482)", async () => {
  const { services } = deployment.gateway
  const { database, clock, orgs, logger, connectedApps, log, appRequests } = services
  const call = await phone.open()
  await frameOf(line, 'call', call)
  const { rows } = await sql('select socket from lines where number = $1', [phone.number])
  const routing = new Routing({
    database,
    logger,
    gateways: services.runningGateways,
    agents: new Agents(database, clock, orgs),
    connectedApps,
    records: services.callRecords,
    log,
    assignments: appRequests.assignments,
    missingKeys: async () => [],
    isFull: async ({ agent }) => agent === 'sales',
  })
  const sent: { type: string; data: { reason: string } }[] = []
  const caller = { org: org.id, slug: org.slug, env: 'sandbox', agents: [] as string[] }
  const source = { socket: rows[0].socket, caller, holder: '', send: (frame: never) => sent.push(frame) }
  await routing.route(source as never, { type: 'call.route', call, agent: 'sales' })
  assert.deepEqual(
    sent.map(({ type, data }) => [type, data.reason]),
    [['call.route_failed', 'capacity']],
  )
})

test('a call is handed over once, and by the line that owns it (ND-93)', async () => {
  const call = await phone.open()
  await frameOf(line, 'call', call)
  const errorOf = async (app: AppClient, sentence: string) =>
    assert.ok(
      await until('it is refused', () =>
        app.frames.find(({ type, detail }) => type === 'error' && detail === sentence),
      ),
    )
  sales.send({ type: 'call.route', call, agent: 'sales' })
  await errorOf(sales, `call ${call} is on no line of this app`)
  route(call, 'sales')
  route(call, 'desk')
  await errorOf(line, `call ${call} is on no line of this app`)
  await frameOf(sales, 'call.started', call)
  assert.equal(typesOf(await entriesOf(deployment, call)).filter((type) => type === 'call.routed').length, 1)
  route('call_none', 'sales')
  await errorOf(line, 'call call_none is on no line of this app')
})

test('a line that asks again for a hand-over that was done gets the same answer again, and it is done once (ND-93, N-473)', async () => {
  const own = await new SpokenAgent(deployment, org, 'evening').route()
  const first = await AppClient.connect(deployment.url, key)
  await first.ask({ type: 'line.register', number: own.number })
  const call = await own.open()
  await frameOf(first, 'call', call)
  first.send({ type: 'call.route', call, agent: 'sales' })
  await frameOf(sales, 'call.started', call)
  await first.close()
  const back = await AppClient.connect(other.url, key)
  const again = () => back.ask({ type: 'line.register', number: own.number })
  await until('the line is free', async () => (await again()).type === 'ready')
  back.send({ type: 'call.route', call, agent: 'sales' })
  const { line: told, data } = await frameOf(back, 'call.routed', call)
  assert.deepEqual([told, data], [own.number, { callId: call, agent: 'sales' }])
  assert.equal((await frameOf(back, 'call.ended', call)).data.reason, 'routed')
  back.send({ type: 'call.route', call, agent: 'desk' })
  assert.equal((await frameOf(back, 'error', call)).detail, `call ${call} is on no line of this app`)
  assert.equal(typesOf(await entriesOf(deployment, call)).filter((type) => type === 'call.routed').length, 1)
  await back.close()
})

test('a person who works on some agents hands calls over to those alone (ND-93)', async () => {
  const own = await new SpokenAgent(deployment, org, 'front').route()
  const person = await org.person('developer', { agents: ['front'] })
  const app = await AppClient.connect(deployment.url, person.key)
  assert.equal((await app.ask({ type: 'line.register', number: own.number })).type, 'ready')
  const call = await own.open()
  await frameOf(app, 'call', call)
  app.send({ type: 'call.route', call, agent: 'sales' })
  const { code, detail } = await frameOf(app, 'error', call)
  assert.deepEqual([code, detail], ['AGENT_NOT_ALLOWED', 'this key works on front alone'])
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['line.answered', 'call'])
  await app.close()
})

test("when the app of a line goes for good, its calls are their own agent's, once on two gateways (ND-88)", async () => {
  const own = await new SpokenAgent(deployment, org, 'night').route()
  const app = await AppClient.connect(deployment.url, key)
  await app.ask({ type: 'line.register', number: own.number })
  const call = await own.open()
  await frameOf(app, 'call', call)
  await app.close()
  const poll = () => Promise.all([deployment, other].map(({ gateway }) => gateway.services.routing.poll()))
  const linesOf = () => sql('select from lines where number = $1', [own.number])
  await until('the line is gone', async () => (await linesOf()).rowCount === 0)
  await poll()
  const night = await AppClient.connect(other.url, key)
  let polling: Promise<unknown> | undefined
  await whileHeld(deployment, 'select from logs where id = $1 for update', call, 2, async (held) => {
    await night.register('night')
    polling = poll()
    await held.areWaiting()
  })
  await polling
  const { data } = await frameOf(night, 'call.started', call)
  assert.equal(data.call.routedFrom, own.number)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), [
    'line.answered',
    'call',
    'call.routed',
    'call.started',
  ])
})

test('an app that comes back to its line has the calls that were on it (N-473)', async () => {
  const own = await new SpokenAgent(deployment, org, 'nobodys').route()
  const app = await AppClient.connect(deployment.url, key)
  await app.ask({ type: 'line.register', number: own.number })
  const call = await own.open()
  await frameOf(app, 'call', call)
  await app.close()
  const back = await AppClient.connect(other.url, key)
  await until(
    'the line is free',
    async () => (await back.ask({ type: 'line.register', number: own.number })).type === 'ready',
  )
  const passed = await frameOf(back, 'call.passed', call)
  assert.deepEqual([passed.line, passed.data.line, passed.data.call.id], [own.number, own.number, call])
  done(await own.append(call, [said('user.message', 'hello?')]))
  await frameOf(back, 'user.message', call)
  assert.equal(framesOf(back, call).filter(({ type }) => type === 'call.passed').length, 1)
  back.send({ type: 'call.route', call, agent: 'sales' })
  await frameOf(sales, 'call.started', call)
  await back.close()
})
