import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CameFrame } from '../../../testing/agents/app-client.ts'
import { appFixture, said, textsOf } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, entriesOf, openCall, toolCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import { minuteMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const { ci, newAgent, newApp } = await appFixture(deployment, org)
const started = { type: 'chat.started', data: {} }
const ended = { type: 'call.ended', data: { reason: 'hangup' } }
const driverOf = async (call: string) =>
  (await deployment.sql('select socket from driven_calls where call = $1', [call])).rows[0]?.socket

test('an app receives what happens in its call, as the log has it and in its order (N-010, N-407, ND-87, ND-92)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('hello'))
  await append(deployment, call, { type: 'metrics', data: { stage: 'llm' } }, said('again'))
  await until('the app receives that', () => app.frames.length >= 4)
  deployment.gateway.services.log.show({ ...call, call: call.id }, [
    { type: 'user.speaking', data: { text: 'by' } },
  ])
  await append(deployment, call, { type: 'say.requested', data: { text: 'x' } }, ended)
  const frames = await app.upTo('call.ended')
  const { opened_at, ended_at } = (
    await deployment.sql('select opened_at, ended_at from calls where id = $1', [call.id])
  ).rows[0]
  const whole = {
    id: call.id,
    agent,
    from: null,
    to: null,
    direction: 'inbound',
    transport: 'chat',
    metadata: {},
    language: null,
    extension: null,
    routedFrom: null,
    lineTranscript: [],
    startedAt: Date.parse(opened_at),
  }
  const endedAt = Date.parse(ended_at)
  const duration = (endedAt - whole.startedAt) / 1000
  const frame = (type: string, data: object) => ({ type, agent, call: call.id, data })
  assert.deepEqual(frames, [
    frame('chat.started', { call: whole }),
    frame('user.message', { text: 'hello', messageId: 'hello' }),
    frame('user.message', { text: 'again', messageId: 'again' }),
    frame('user.speaking', { text: 'by' }),
    frame('call.ended', { reason: 'hangup', call: { ...whole, endedAt, duration, reason: 'hangup' } }),
  ])
  await app.close()
})

test('a call that is over before its app hears of it is sent from its start to its end, each event as it was then (N-420, N-437)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, { type: 'call.started', data: {} }, ended)
  const [first, last, ...more] = await app.upTo('call.ended')
  const times = ({ data }: CameFrame) => ['endedAt', 'duration', 'reason'].map((field) => data.call[field])
  assert.deepEqual(times(first), [undefined, undefined, undefined])
  assert.equal(typeof last.data.call.endedAt, 'number')
  assert.deepEqual([last.data.call.reason, more], ['hangup', []])
  await app.close()
})

test('an app on another gateway receives everything in order, whichever gateway writes it (N-407)', async () => {
  const agent = newAgent()
  const app = await newApp(agent, {}, other)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started)
  const writing: Promise<unknown>[] = []
  for (let n = 0; n < 50; n += 1)
    for (const at of [deployment, other]) writing.push(append(at, call, said(`${n}`)))
  await Promise.all(writing)
  await append(other, call, ended)
  const frames = await app.upTo('call.ended')
  const kept = (await entriesOf(deployment, call.id)).filter(({ type }) => type === 'user.message')
  assert.deepEqual(
    textsOf(frames),
    kept.map(({ data }) => data.text),
  )
  assert.deepEqual([frames[0].type, frames.length], ['chat.started', 102])
  await until('the call is marked as sent', async () => {
    const { rows } = await deployment.sql('select done from driven_calls where call = $1', [call.id])
    return rows[0].done
  })
  await app.close()
})

test('a tool is announced with its arguments as text, to the app that is asked and to no other (N-457, N-459, T-101)', async () => {
  const agent = newAgent()
  const app = await newApp(agent, { instance: 'one' })
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, toolCall('t1', 'another'), toolCall('t2', 'one'), toolCall('t3'))
  const frames = await app.upTo('llm.toolCall')
  frames.push(await app.next())
  assert.deepEqual(
    frames.slice(1),
    ['t2', 't3'].map((id) => ({
      type: 'llm.toolCall',
      agent,
      call: call.id,
      data: { msgId: `msg-${id}`, toolCalls: [{ id, name: 'book', arguments: '{}' }] },
    })),
  )
  await app.close()
})

test('an app that comes back is asked again for what it has not answered, and another app never (N-459)', async () => {
  const agent = newAgent()
  const first = await newApp(agent, { instance: 'p1' })
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, toolCall('done', 'p1'), toolCall('open', 'p1'))
  await append(deployment, call, {
    type: 'tool.result',
    data: { id: 'done', name: 'book', ok: true, result: 1 },
  })
  await first.upTo('llm.toolCall')
  first.socket.terminate()
  await until('it is unassigned', async () => (await driverOf(call.id)) === null)
  const stranger = await newApp(agent, { instance: 'p2' })
  assert.equal((await stranger.next()).type, 'call.passed')
  await stranger.close()
  await until('it is unassigned', async () => (await driverOf(call.id)) === null)
  assert.equal(stranger.frames.length, 2)
  const back = await newApp(agent, { instance: 'p1' }, other)
  assert.equal((await back.next()).type, 'call.passed')
  assert.deepEqual((await back.next()).data.toolCalls[0].id, 'open')
  await back.close()
})

test('levels of the audio are sent only to an app that wants them (N-463)', async () => {
  const { log } = deployment.gateway.services
  for (const wanted of [true, false]) {
    const agent = newAgent()
    const app = await newApp(agent, { analysis: { send_audio_metrics: wanted } })
    const call = await openCall(deployment, ci.client, agent)
    await append(deployment, call, started)
    await app.next()
    log.show({ ...call, call: call.id }, [{ type: 'audio.metrics', data: { source: 'user' } }])
    await append(deployment, call, said('x'))
    assert.deepEqual(
      (await app.upTo('user.message')).map(({ type }) => type),
      wanted ? ['audio.metrics', 'user.message'] : ['user.message'],
    )
    await app.close()
  }
})

test('more events at once than the queue holds are still sent, in order (N-407)', async () => {
  const agent = newAgent()
  const app = await newApp(agent, {}, other)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started)
  await app.next()
  const texts = Array.from({ length: 3000 }, (_, n) => `${n}`)
  await append(other, call, ...texts.map(said))
  await append(deployment, call, said('after'), ended)
  assert.deepEqual(textsOf(await app.upTo('call.ended')), [...texts, 'after'])
  assert.match(other.log(), /an app is too slow for the events of a call/)
  await app.close()
})

test('an app that does not read is disconnected, and no writer of the call waits for it', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started)
  await app.next()
  app.socket.pause()
  const text = 'x'.repeat(100_000)
  for (let n = 0; n < 300 && (await driverOf(call.id)); n += 1) await append(deployment, call, said(text))
  await until('it is unassigned', async () => (await driverOf(call.id)) === null)
  await append(deployment, call, ended)
  app.socket.terminate()
})

test('a call whose first entry could be sent to no app is sent whole with the next (N-407)', async () => {
  const agent = newAgent()
  const app = await newApp(agent)
  const call = await openCall(deployment, ci.client, agent)
  const { sql } = deployment
  await sql(`create function refuse_driven() returns trigger language plpgsql as
    $$ begin if new.call = '${call.id}' then raise exception 'nobody may drive this'; end if; return new; end $$`)
  await sql(
    'create trigger refuses before insert on driven_calls for each row execute function refuse_driven()',
  )
  await append(deployment, call, started)
  await until('it was tried', () => deployment.log().includes('nobody may drive this'))
  await sql('drop trigger refuses on driven_calls')
  await append(deployment, call, said('hello'))
  assert.deepEqual(
    (await app.upTo('user.message')).map(({ type }) => type),
    ['chat.started', 'user.message'],
  )
  await app.close()
})

test('the app that drove a call is forgotten a minute after its end, and not while it lives', async () => {
  const agent = newAgent()
  const [over, open] = [
    await openCall(deployment, ci.client, agent),
    await openCall(deployment, ci.client, agent),
  ]
  for (const call of [over, open]) await append(deployment, call, started)
  await append(deployment, over, ended)
  const { appRequests } = deployment.gateway.services
  await until('both are there', async () => (await known()).length === 2)
  await appRequests.assignments.deleteExpired()
  assert.equal((await known()).length, 2)
  deployment.clock.forward(2 * minuteMs)
  await appRequests.assignments.deleteExpired()
  assert.deepEqual(await known(), [{ call: open.id }])

  async function known() {
    const { rows } = await deployment.sql('select call from driven_calls where agent = $1', [agent])
    return rows
  }
})
