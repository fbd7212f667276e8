import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CameFrame } from '../../../testing/agents/app-client.ts'
import { appFixture, said, textsOf } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, minuteMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const { ci, newAgent, newApp } = await appFixture(deployment, org)
const started = { type: 'chat.started', data: {} }
const ended = { type: 'call.ended', data: { reason: 'hangup' } }
const acknowledges = { acknowledges: true }
const ack = (call: string, seq: number) => ({ type: 'events.ack', calls: [{ call, seq }] })
const { assignments } = deployment.gateway.services.appRequests

const rowOf = async (call: string) =>
  (await deployment.sql('select told, done, socket from driven_calls where call = $1', [call])).rows[0]

/** What its gateway would leave behind if it died now. */
async function abandon(call: string) {
  await deployment.sql(
    `insert into gateways (id, seen_at) values ('gw_dead', now() - interval '1 hour') on conflict do nothing`,
  )
  await deployment.sql(
    `insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
     select 'app_of_' || $1, 'gw_dead', s.org, s.env, s.holder, s.key_id, now()
     from app_sockets s join driven_calls d on d.socket = s.id where d.call = $1`,
    [call],
  )
  await deployment.sql(`update driven_calls set socket = 'app_of_' || $1 where call = $1`, [call])
}

/** A call whose app has received and acknowledged the first of two messages. */
async function halfAcknowledged(agent: string) {
  const app = await newApp(agent, acknowledges)
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, started, said('one'), said('two'))
  const frames = await app.upTo('user.message')
  frames.push(await app.next())
  const first = frames.at(-2).seq as number
  app.send(ack(call.id, first))
  await until('it is acknowledged', async () => {
    await assignments.storeAcknowledged()
    return (await rowOf(call.id)).told === first
  })
  return { app, call, frames, first }
}

test('an app that acknowledges is sent the seq of what is stored, and its call goes on behind what it acknowledged', async () => {
  const agent = newAgent()
  const { app, call, frames, first } = await halfAcknowledged(agent)
  const { rows } = await deployment.sql('select seq, type from entries where log = $1 order by seq', [
    call.id,
  ])
  assert.deepEqual(
    frames.map(({ seq, type }: CameFrame) => ({ seq, type })),
    rows.filter(({ type }) => type !== 'metrics'),
  )
  deployment.gateway.services.log.show({ ...call, call: call.id }, [
    { type: 'user.speaking', data: { text: 'th' } },
  ])
  assert.equal((await app.next()).seq, undefined)
  await app.close()
  const back = await newApp(agent, acknowledges, other)
  const again = await back.upTo('user.message')
  assert.deepEqual([again[0].type, again[0].seq, ...textsOf(again)], ['call.passed', undefined, 'two'])
  assert.equal(again.at(-1).seq, first + 1)
  await back.close()
})

test('what an app had not acknowledged when its gateway died is sent to it again, and what happened since', async () => {
  const agent = newAgent()
  const { app, call } = await halfAcknowledged(agent)
  await abandon(call.id)
  await append(deployment, call, said('three'), ended)
  await app.close()
  const back = await newApp(agent, acknowledges, other)
  const frames = await back.upTo('call.ended')
  assert.deepEqual([frames[0].type, ...textsOf(frames)], ['call.passed', 'two', 'three'])
  assert.equal((await rowOf(call.id)).done, false)
  back.send(ack(call.id, frames.at(-1).seq))
  await until('it is done', async () => (await rowOf(call.id)).done === true)
  await back.close()
  const late = await newApp(agent, acknowledges)
  await append(deployment, await openCall(deployment, ci.client, agent), started)
  assert.equal((await late.next()).type, 'chat.started')
  await late.close()
})

test('an app that takes over a call without acknowledging is sent the same, without seq', async () => {
  const agent = newAgent()
  const { app, call } = await halfAcknowledged(agent)
  await app.close()
  const plain = await newApp(agent)
  const frames = await plain.upTo('user.message')
  assert.deepEqual(textsOf(frames), ['two'])
  assert.ok(frames.every((frame: CameFrame) => !('seq' in frame)))
  assert.equal((await rowOf(call.id)).told, null)
  await plain.close()
})

test('the end of a call waits a day for an app that acknowledges, and a minute for any other', async () => {
  const agent = newAgent()
  const { app, call } = await halfAcknowledged(agent)
  await app.close()
  await until('it is free', async () => (await rowOf(call.id)).socket === null)
  await append(deployment, call, ended)
  deployment.clock.forward(23 * hourMs)
  await assignments.deleteExpired()
  assert.equal((await rowOf(call.id)).done, false)
  deployment.clock.forward(hourMs + minuteMs)
  await assignments.deleteExpired()
  assert.equal(await rowOf(call.id), undefined)
})

test('nobody acknowledges what was not sent, nor for another socket', async () => {
  const agent = newAgent()
  const { app, call, first } = await halfAcknowledged(agent)
  const stranger = await newApp(newAgent(), acknowledges)
  stranger.send(ack(call.id, first + 1))
  assert.equal((await stranger.register(newAgent())).type, 'agent.registered') // the frame before it was taken
  app.send(ack(call.id, 2 ** 30))
  app.send(ack('call_unknown', 1))
  app.send(ack(call.id, 1))
  await append(deployment, call, said('three'))
  assert.deepEqual(textsOf([await app.next()]), ['three'])
  await until('what was sent is stored', async () => {
    await assignments.storeAcknowledged()
    return (await rowOf(call.id)).told > first
  })
  assert.equal((await rowOf(call.id)).told, first + 1)
  await app.close()
  const back = await newApp(agent, acknowledges)
  assert.deepEqual(textsOf(await back.upTo('user.message')), ['three'])
  await Promise.all([back.close(), stranger.close()])
})

test('an acknowledgement of another shape is refused in a sentence, and the socket stays open', async () => {
  const app = await newApp(newAgent(), acknowledges)
  const cases: [frame: object, detail: string][] = [
    [{}, 'calls: is required'],
    [{ calls: {} }, 'calls: must be a list'],
    [{ calls: [{ call: 'c' }] }, 'calls.0.seq: is required'],
    [{ calls: [{ call: 'c', seq: 0 }] }, 'calls.0.seq: must be >= 1'],
    [{ calls: [{ call: 'c', seq: 1.5 }] }, 'calls.0.seq: must be a whole number'],
  ]
  for (const [frame, detail] of cases)
    assert.deepEqual(await app.ask({ type: 'events.ack', ...frame }), {
      type: 'error',
      agent: null,
      code: 'BAD_FRAME',
      detail,
    })
  const many = Array.from({ length: 1001 }, () => ({ call: 'c', seq: 1 }))
  assert.equal((await app.ask({ type: 'events.ack', calls: many })).code, 'BAD_FRAME')
  assert.equal(
    (await app.register(newAgent(), { acknowledges: 'yes' })).detail,
    'acknowledges: must be true or false',
  )
  await app.close()
})
