import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment({ SVC_DASHBOARD_URL: 'https://dashboard.test' })
after(() => deployment[Symbol.asyncDispose]())
const plain = await deployment.another({ SVC_BASE_URL: 'http://switchroom.test', SVC_DASHBOARD_URL: '' })
const paths = [
  '/healthz',
  '/',
  '/v1/whoami',
  '/nowhere',
  '/%zz',
  '/.well-known/svc',
  '/openapi.json',
  '/docs',
]

test('every answer says that its type is not to be guessed, refusals and pages too', async () => {
  for (const client of [deployment.anonymous, deployment.dashboard, deployment.metrics])
    for (const path of [...paths, '/metrics', '/api/rates/models'])
      assert.equal((await client.get(path)).headers.get('x-content-type-options'), 'nosniff', path)
})

test('if the public address is https, the HSTS header makes browsers come back over TLS alone; otherwise it is absent', async () => {
  const said = async (client: typeof deployment.anonymous, path: string) =>
    (await client.get(path)).headers.get('strict-transport-security')
  for (const path of paths) {
    for (const client of [deployment.anonymous, deployment.dashboard])
      assert.equal(await said(client, path), 'max-age=31536000', path)
    for (const client of [plain.anonymous, plain.dashboard])
      assert.equal(await said(client, path), null, path)
  }
})
