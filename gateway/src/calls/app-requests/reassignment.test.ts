import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { appFixture, said, textsOf } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const { ci, newAgent, newApp } = await appFixture(deployment, org)
const started = { type: 'chat.started', data: {} }
const driverOf = async (call: string) =>
  (await deployment.sql('select socket from driven_calls where call = $1', [call])).rows[0]?.socket

test('the newest app gets new calls, and a call stays with the socket it opened on until that goes (ND-88)', async () => {
  const agent = newAgent()
  const old = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('one'))
  assert.deepEqual(textsOf(await old.upTo('user.message')), ['one'])
  const newer = await newApp(agent, {}, other)
  const newest = await newApp(agent)
  await append(other, call, said('two'))
  assert.deepEqual(textsOf(await old.upTo('user.message')), ['two'])
  const next = await openCall(deployment, ci.client, agent)
  await append(deployment, next, started)
  assert.equal((await newest.next()).call, next.id)

  await newest.close()
  await until('it is passed on', async () => (await newer.next()).call === next.id)
  await old.close()
  await append(deployment, call, said('three'))
  const [passed, ...rest] = await newer.upTo('user.message')
  assert.deepEqual([passed.type, passed.call, passed.data.call.id], ['call.passed', call.id, call.id])
  assert.deepEqual(textsOf(rest), ['three'])
  assert.deepEqual([rest.length, newer.frames.length], [1, 4])
  await newer.close()
})

test('an app that releases the agent passes its calls on, and keeps those of its other agents (ND-88)', async () => {
  const [left, kept] = [newAgent(), newAgent()]
  const second = await newApp(left)
  const first = await newApp(left)
  await first.register(kept)
  const [call, stays] = await Promise.all([left, kept].map((agent) => openCall(deployment, ci.client, agent)))
  assert.ok(call && stays)
  for (const each of [call, stays]) await append(deployment, each, started)
  assert.deepEqual([(await first.next()).type, (await first.next()).type], ['chat.started', 'chat.started'])
  first.send({ type: 'agent.unregister', agent: left })
  assert.equal((await second.next()).type, 'call.passed')
  for (const each of [call, stays]) await append(deployment, each, said('next'))
  assert.equal((await second.next()).call, call.id)
  assert.equal((await first.next()).call, stays.id)
  await Promise.all([first.close(), second.close()])
})

test('what happens while no app is connected is sent to the next app that holds the agent (ND-88)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('one'))
  await app.upTo('user.message')
  await app.close()
  await until('it is unassigned', async () => (await driverOf(call.id)) === null)
  await append(deployment, call, said('two'), said('three'))
  const back = await newApp(agent, {}, other)
  const frames = await back.upTo('user.message')
  frames.push(await back.next())
  assert.deepEqual([frames[0].type, ...textsOf(frames)], ['call.passed', 'two', 'three'])
  await back.close()
})

test('calls of a gateway that died are passed on once, also by two that look concurrently (ND-88)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('one'))
  await app.upTo('user.message')
  const back = await newApp(agent, {}, other)
  const { sql } = deployment
  await sql(`insert into gateways (id, seen_at) values ('gw_dead', now() - interval '1 hour')`)
  await sql(
    `insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
     select 'app_dead', 'gw_dead', org, env, holder, key_id, now() from app_sockets where id = $1`,
    [await driverOf(call.id)],
  )
  await sql(`update driven_calls set socket = 'app_dead', told = null where call = $1`, [call.id])
  await Promise.all(
    [deployment, other, deployment, other].map(({ gateway }) =>
      gateway.services.appRequests.assignments.poll(),
    ),
  )
  assert.equal((await back.next()).type, 'call.passed')
  await append(deployment, call, said('two'))
  assert.deepEqual(textsOf([await back.next()]), ['two'])
  assert.equal(back.frames.length, 3)
  await Promise.all([app.close(), back.close()])
})

test("in the sandbox a person's calls are sent to that person's app, and to the org's if they have none (ND-88)", async () => {
  const agent = newAgent()
  const person = await org.person('developer')
  const own = await AppClient.connect(deployment.url, person.key)
  await own.register(agent)
  const team = await newApp(agent)
  const call = await openCall(deployment, person.client, agent)
  assert.equal(call.holder, person.id)
  await append(deployment, call, started)
  assert.equal((await own.next()).call, call.id)
  const shared = await openCall(deployment, ci.client, agent)
  await append(deployment, shared, started)
  assert.equal((await team.next()).call, shared.id)
  await own.close()
  assert.equal((await team.next()).call, call.id)
  await team.close()
})

/** Several at once, so that what is done for one happens beside what is done for another. */
async function newCalls(agent: string, app: AppClient, many = 20) {
  const calls = await Promise.all(Array.from({ length: many }, () => openCall(deployment, ci.client, agent)))
  await Promise.all(calls.map((call) => append(deployment, call, started)))
  await until('all events arrive', () => callsIn(app, 'chat.started').size === many)
  return calls
}
const callsIn = ({ frames }: AppClient, wanted: string) =>
  new Set(frames.filter(({ type }) => type === wanted).map(({ call }) => call))

test('when an app disconnects or releases the agent, each of its many calls is passed on, and sent to one app alone (ND-88)', async () => {
  const agent = newAgent()
  const last = await newApp(agent, {}, other)
  const next = await newApp(agent)
  const first = await newApp(agent)
  const calls = await newCalls(agent, first)
  await first.close()
  await until('all are passed on', () => callsIn(next, 'call.passed').size === calls.length)
  next.send({ type: 'agent.unregister', agent })
  await until('all are passed on again', () => callsIn(last, 'call.passed').size === calls.length)
  await Promise.all(calls.map((call) => append(deployment, call, said('on'))))
  await until('all events arrive', () => callsIn(last, 'user.message').size === calls.length)
  assert.equal((await next.ask({ type: 'nothing' })).type, 'call.passed')
  await next.nextOf('error') // whatever was on its way before is here
  assert.deepEqual(callsIn(next, 'user.message'), new Set())
  await Promise.all([next.close(), last.close()])
})

test('an app that releases an agent and takes it again at once continues with all of its calls (ND-88)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const calls = await newCalls(agent, app)
  for (let round = 1; round <= 3; round += 1) {
    app.send({ type: 'agent.unregister', agent })
    app.send({ type: 'agent.register', agent })
    await app.nextOf('agent.registered')
    await Promise.all(calls.map((call) => append(deployment, call, said(`round ${round}`))))
    const told = () => app.frames.filter(({ data }) => data?.text === `round ${round}`)
    await until('all events arrive', () => told().length >= calls.length)
    assert.deepEqual(new Set(told().map(({ call }) => call)), new Set(calls.map(({ id }) => id)))
  }
  await app.close()
})

test('an app that was to drive a call and came too late drives it when it is its turn (ND-88)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const { rows } = await deployment.sql('select socket from registrations where agent = $1', [agent])
  const newest = await newApp(agent, {}, other)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started)
  assert.equal((await newest.next()).type, 'chat.started')
  const { mailbox, runningGateways } = deployment.gateway.services
  const late = { call: call.id, agent, socket: rows[0].socket, byLine: false }
  await other.gateway.services.mailbox.send(runningGateways.id, 'drive', late)
  await until('that was read', async () => (await deployment.sql('select from posts')).rowCount === 0)
  await mailbox.send(runningGateways.id, 'drive', late) // read after the one before
  await newest.close()
  assert.equal((await app.next()).type, 'call.passed')
  await append(deployment, call, said('now'))
  assert.equal((await app.next()).data.text, 'now')
  await app.close()
})

test('the last entry sent to an app is not lost while the database refuses to store it (ND-88)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('one'))
  await app.upTo('user.message')
  const { sql } = deployment
  await sql(`create function refuse_told() returns trigger language plpgsql as
    $$ begin if new.call = '${call.id}' and new.told is not null then raise exception 'refused on purpose'; end if; return new; end $$`)
  await sql(
    'create trigger refuses before update on driven_calls for each row execute function refuse_told()',
  )
  await app.close()
  await until('it was tried', () => deployment.log().includes('refused on purpose'))
  await sql('drop trigger refuses on driven_calls')
  await append(deployment, call, said('two'), said('three'))
  await deployment.gateway.services.appRequests.assignments.poll()
  const back = await newApp(agent, {}, other)
  const frames = await back.upTo('user.message')
  frames.push(await back.next())
  assert.deepEqual([frames[0].type, ...textsOf(frames)], ['call.passed', 'two', 'three'])
  await back.close()
})
