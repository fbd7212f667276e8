import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { startedGateway } from './gateway-process.ts'

const postgres = await startThrowawayPostgres()
after(() => postgres.stop())

test('while its PostgreSQL is stopped a gateway answers 503 with Retry-After, and it stops on SIGTERM', async () => {
  const gateway = await startedGateway(postgres.url('switchroom'))
  after(() => gateway.child.kill('SIGKILL'))
  assert.equal((await gateway.send('GET', '/v1/ops/orgs')).status, 200)
  postgres.kill()
  await postgres.ended
  await until('it is noticed', async () => !(await fetch(`${gateway.url}/readyz`)).ok)
  const answer = await gateway.send('POST', '/v1/ops/orgs', { slug: 'late' })
  assert.deepEqual(
    [answer.status, answer.headers.get('retry-after'), await answer.json()],
    [
      503,
      '2',
      {
        detail: 'the database cannot serve this request at the moment: try again in 2 seconds',
        code: 'UNAVAILABLE',
      },
    ],
  )
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
})
