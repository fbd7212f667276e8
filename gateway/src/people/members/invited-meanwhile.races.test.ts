import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, gateway } = deployment

test('a person who is invited at the moment in which their last row goes is invited', async () => {
  const { client } = await (await deployment.newOrg()).person('admin')
  const email = 'leaving@example.test'
  await sql('insert into persons (email) values ($1)', [email])
  const other = await gateway.services.database.pool.connect()
  await other.query('begin')
  await other.query('delete from persons where email = $1', [email])
  const inviting = client.post('/v1/members', { email, role: 'developer' })
  await until('it waits for the row', async () => {
    const { rowCount } = await sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  })
  await other.query('commit')
  other.release()
  assert.equal((await inviting).status, 201)
  assert.equal((await sql('select from persons where email = $1', [email])).rowCount, 1)
})
