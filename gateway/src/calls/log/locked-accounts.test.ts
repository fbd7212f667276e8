import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { callLog } from './entries.ts'
import { laneOf } from './lanes.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { log, accounts } = deployment.gateway.services

const newLog = async (org: TestOrg) => {
  const { client } = await org.serverToken('sandbox')
  const { body } = await client.post('/v1/calls', { agent: 'desk', channel: 'chat' })
  return callLog({ id: body.call, org: org.id, env: 'sandbox', agent: 'desk' })
}
const metrics = { type: 'metrics', data: { stage: 'llm', vendor: 'openai', model: 'gpt-4o', credits: 0.5 } }

test('while an account is locked, appends that charge it and those of other orgs go on (SD-66)', async () => {
  const [own, ...others] = await Promise.all(Array.from({ length: 9 }, () => deployment.newOrg()))
  assert.ok(own)
  const ownLog = await newLog(own)
  const logs = await Promise.all(others.map(newLog))
  const holder = new Client({ connectionString: deployment.database.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from accounts where org = $1 for update', [own.id])
  await holder.query('update accounts set credits = credits where org = $1', [own.id])

  // Everything below is answered before the lock is released; before, nothing was.
  for (let n = 0; n < 25; n += 1)
    await Promise.all([ownLog, ...logs].map((ref) => log.append(ref, [metrics])))
  await accounts.settle()
  for (const { id } of [own, ...others]) assert.equal((await accounts.read(id)).credits, 1000 - 12.5)

  await holder.query('commit')
  await holder.end()
  await until('all are settled', async () => {
    await accounts.settle()
    return (await deployment.sql('select from credit_changes')).rowCount === 0
  })
  const stored = await deployment.sql('select distinct credits::float8 as credits from accounts')
  assert.deepEqual(stored.rows, [{ credits: 987.5 }])
})

test("a flood of one org's entries does not go before what other orgs write meanwhile", async () => {
  const flooded = await newLog(await deployment.newOrg())
  let ref = flooded
  while (ref === flooded || laneOf(ref) !== laneOf(flooded)) ref = await newLog(await deployment.newOrg())
  const entry = { type: 'turn.continued', data: {} }
  const order: string[] = []
  const flood = Array.from({ length: 4 }, () =>
    log
      .append(
        flooded,
        Array.from({ length: 2500 }, () => entry),
      )
      .then(() => order.push('flood')),
  )
  await Promise.all([...flood, log.append(ref, [entry]).then(() => order.push('one'))])
  assert.deepEqual(order, ['flood', 'one', 'flood', 'flood', 'flood'])
})
