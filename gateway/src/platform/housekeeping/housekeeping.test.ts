import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { dayMs, weekMs } from '../../foundation/clock.ts'

test('what died of age is forgotten, and what lives stays (ID-97, ID-94)', async () => {
  await using deployment = await startDeployment()
  const { anonymous, operator, sql, clock, gateway } = deployment
  const org = await deployment.newOrg()
  const { client } = await org.person('qa')
  const fill = async () => {
    await client.post('/v1/login/codes')
    await anonymous.post('/v1/login/pairings', {})
    await anonymous.post('/v1/login', { email: 'somebody@example.com', password: 'x' })
  }
  const count = async () => {
    const tables = ['login_codes', 'pairings', 'rate_counts', 'invitations']
    return Promise.all(
      tables.map(async (table) => Number((await sql(`select count(*) as n from ${table}`)).rows[0].n)),
    )
  }
  await operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'late@example.com' })
  await fill()
  await gateway.services.housekeeping.run()
  assert.deepEqual(await count(), [1, 1, 2, 1]) // tries are counted per address and per place
  clock.forward(dayMs)
  await gateway.services.housekeeping.run()
  assert.deepEqual(await count(), [0, 0, 0, 1])
  clock.forward(weekMs)
  await fill()
  await gateway.services.housekeeping.run()
  assert.deepEqual(await count(), [1, 1, 2, 0])
})
