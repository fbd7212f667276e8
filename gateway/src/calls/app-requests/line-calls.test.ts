import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { appFixture, said, textsOf } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import { callLog } from '../log/entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const { ci, newAgent, newApp } = await appFixture(deployment, org)

test('a call is reported to the phone line that owns it, and from its hand-over on to the agent (N-407)', async () => {
  for (const isSameApp of [false, true]) {
    const [agent, ofLine] = [newAgent(), newAgent()]
    const app = await newApp(agent)
    const line = isSameApp ? app : await AppClient.connect(other.url, ci.key)
    await line.register(ofLine)
    const { rows } = await deployment.sql('select socket from registrations where agent = $1', [ofLine])
    const call = await openCall(deployment, ci.client, agent)
    const { database, appRequests, log } = deployment.gateway.services
    await database.transaction((tx) => appRequests.assignments.assign(tx, call.id, agent, rows[0].socket))
    await append(deployment, call, { type: 'call.started', data: {} }, said('to the line'))
    assert.deepEqual(textsOf(await line.upTo('user.message')), ['to the line'])
    await database.transaction(async (tx) => {
      await log.lock(tx, call.id)
      await appRequests.assignments.assign(tx, call.id, agent, null)
      const routed = { type: 'call.routed', data: { callId: call.id, agent } }
      await log.appendIn(tx, callLog(call), [routed, { type: 'call.started', data: {} }])
    })
    await append(deployment, call, said('to the agent'))
    const frames = await app.upTo('user.message')
    assert.deepEqual(
      frames.map(({ type }) => type),
      ['call.routed', 'call.started', 'user.message'],
    )
    assert.deepEqual(textsOf(frames), ['to the agent'])
    if (!isSameApp) assert.equal(line.frames.length, 3)
    await Promise.all([...new Set([line, app])].map((each) => each.close()))
  }
})

test("a line's calls wait for its app when that goes, and are no other person's until they are given away", async () => {
  const [agent, ofLine] = [newAgent(), newAgent()]
  const app = await newApp(agent)
  const line = await newApp(ofLine)
  const { rows } = await deployment.sql('select socket from registrations where agent = $1', [ofLine])
  const call = await openCall(deployment, ci.client, agent)
  const { database, appRequests } = deployment.gateway.services
  await database.transaction((tx) => appRequests.assignments.assign(tx, call.id, agent, rows[0].socket))
  await append(deployment, call, { type: 'call.started', data: {} })
  await line.next()
  await line.close()
  await until('the call has no app', async () => {
    const told = await deployment.sql('select told from driven_calls where call = $1', [call.id])
    return told.rows[0].told === 1
  })
  await appRequests.assignments.poll()
  assert.equal(await appRequests.appOf(call), null)
  await append(deployment, call, said('meanwhile'))
  const held = newAgent()
  const back = await newApp(held, {}, other)
  const again = await deployment.sql('select socket from registrations where agent = $1', [held])
  await database.transaction((tx) => appRequests.assignments.assign(tx, call.id, agent, again.rows[0].socket))
  assert.deepEqual(textsOf(await back.upTo('user.message')), ['meanwhile'])
  assert.equal(back.frames.length, 2) // events of a call on a line are sent when an app takes the line
  assert.equal(app.frames.length, 1)
  await Promise.all([app.close(), back.close()])
})

test('an app that releases an agent still receives the calls that are on its line (N-407)', async () => {
  const agent = newAgent()
  const line = await newApp(agent)
  const { rows } = await deployment.sql('select socket from registrations where agent = $1', [agent])
  const call = await openCall(deployment, ci.client, agent)
  const { database, appRequests } = deployment.gateway.services
  await database.transaction((tx) => appRequests.assignments.assign(tx, call.id, agent, rows[0].socket))
  await append(deployment, call, { type: 'call.started', data: {} })
  assert.equal((await line.next()).type, 'call.started')
  line.send({ type: 'agent.unregister', agent })
  assert.equal((await line.ask({ type: 'nothing' })).type, 'error')
  await append(deployment, call, said('still here?'))
  assert.equal((await line.next()).data.text, 'still here?')
  await line.close()
})
