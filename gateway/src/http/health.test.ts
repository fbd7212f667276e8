import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { until } from '../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous } = deployment

test('the process is well and ready while its database answers (ID-22)', async () => {
  assert.deepEqual((await anonymous.get('/healthz')).body, { status: 'ok' })
  assert.deepEqual((await anonymous.get('/readyz')).body, { status: 'ok' })
})

test('without its database it is well and not ready (ID-22)', async () => {
  await using own = await startDeployment()
  await own.database.takeAway()
  refused(await own.anonymous.get('/readyz'), 503, 'the database does not answer')
  assert.equal((await own.anonymous.get('/healthz')).status, 200)
  await own.database.giveBack()
  await until('it is ready', async () => (await own.anonymous.get('/readyz')).status === 200)
})

test('metrics count requests by route and carry no org, key or path as sent', async () => {
  const org = await deployment.newOrg()
  await deployment.operator.get(`/v1/ops/orgs/${org.slug}`)
  const { text, headers } = await deployment.metrics.get('/metrics')
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(
    text,
    /svc_http_request_seconds_count\{method="GET",route="\/v1\/ops\/orgs\/:org",status="200"\} 1/,
  )
  assert.match(text, /nodejs_eventloop_lag_seconds/)
  assert.equal(text.includes(org.slug), false)
})
