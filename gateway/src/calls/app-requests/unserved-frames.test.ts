import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { append, entriesOf, openCall, toolCall } from '../../../testing/calls/assigned-call.ts'
import { migratedDatabase } from '../../../testing/databases.ts'
import { startOn } from '../../../testing/deployment.ts'
import { interruptedLine } from '../../../testing/interrupted-line.ts'
import { until } from '../../../testing/until.ts'

const database = await migratedDatabase()
const line = await interruptedLine(database.url)
const deployment = await startOn({ ...database, url: line.url }, {})
after(async () => {
  line.resume()
  await deployment[Symbol.asyncDispose]()
  line[Symbol.dispose]()
})
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
const app = await AppClient.connect(deployment.url, ci.key)
after(() => app.close())

test('a tool result that comes while the database cannot serve is written once it can, on the same socket (N-458)', async () => {
  await app.register('desk', { instance: 'app-1' })
  const call = await openCall(deployment, ci.client, 'desk')
  await append(deployment, call, { type: 'chat.started', data: {} }, toolCall('t1', 'app-1'))
  const running = deployment.gateway.services.tools.run(call, [{ id: 't1', name: 'book', arguments: '{}' }])
  await app.nextOf('llm.toolCall')
  line.interrupt()
  app.send({ type: 'tool.result', call: call.id, id: 't1', result: 'booked' })
  await until('the result waits', () => deployment.log().includes('a tool result waits for the database'))
  line.resume()
  assert.deepEqual(await app.nextOf('tool.received'), { type: 'tool.received', call: call.id, id: 't1' })
  assert.deepEqual(await running, [{ id: 't1', name: 'book', ok: true, text: 'booked' }])
  const results = (await entriesOf(deployment, call.id)).filter(({ type }) => type === 'tool.result')
  assert.deepEqual(
    results.map(({ data }) => data),
    [{ id: 't1', name: 'book', ok: true, result: 'booked' }],
  )
})

test('another frame that comes while the database cannot serve is refused as a passing failure, and the socket stays open', async () => {
  line.interrupt()
  assert.deepEqual(await app.register('desk'), {
    type: 'error',
    agent: 'desk',
    code: 'INTERNAL_ERROR',
    detail: 'the database cannot serve this frame at the moment: send it again in 2 seconds',
  })
  line.resume()
  await until('it is registered', async () => (await app.register('desk')).type === 'agent.registered')
})
