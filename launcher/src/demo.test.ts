import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../testing/folders.ts'
import { inviteDemoAdmin } from './demo.ts'

interface Deployment {
  orgs: { slug: string }[]
  members: { id: string; status: string }[]
  mail?: boolean
}

/** The operator's endpoints, as far as the demo uses them. */
async function deploymentWith(t: TestContext, { orgs, members, mail = false }: Deployment) {
  const requests: string[] = []
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    request.on('data', (sent: Buffer) => bodies.push(JSON.parse(String(sent))))
    const answers: Record<string, [number, unknown]> = {
      'GET /.well-known/svc': [200, { mail }],
      'GET /v1/ops/orgs': [200, { orgs }],
      'POST /v1/ops/orgs': [201, {}],
      'GET /v1/ops/orgs/demo/members': [200, { members }],
      'POST /v1/ops/orgs/demo/members': [201, { link: 'http://gateway/invitations/new' }],
    }
    const [status, body] = answers[`${request.method} ${request.url}`] ?? [204, undefined]
    response.writeHead(status).end(body === undefined ? undefined : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const dataFolder = temporaryFolder(t)
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { dataFolder, address, operatorKey: 'key', signal: new AbortController().signal }
  const shown: string[] = []
  const invite = () => inviteDemoAdmin(options, (link) => shown.push(link))
  return { invite, shown, requests, bodies, marker: join(dataFolder, 'demo.invited') }
}

test('an empty deployment gets the demo org and its link is shown once (ID-36)', async (t) => {
  const { invite, shown, requests, marker } = await deploymentWith(t, { orgs: [], members: [] })
  await invite()
  assert.deepEqual(shown, ['http://gateway/invitations/new'])
  assert.ok(existsSync(marker))
  requests.length = 0
  await invite()
  assert.deepEqual(requests, [])
})

test('the demo admin is operator only if no email can be sent, because only then an operator gets a link (ID-36, ID-50)', async (t) => {
  for (const mail of [false, true]) {
    const { invite, shown, bodies } = await deploymentWith(t, { orgs: [{ slug: 'demo' }], members: [], mail })
    await invite()
    assert.equal(shown.length, 1)
    assert.deepEqual(
      bodies.map((body) => (body as { operator: boolean }).operator),
      [!mail],
    )
  }
})

test('a start killed before the link was shown invites the demo admin again (ID-36)', async (t) => {
  const members = [{ id: 'mem_1', status: 'invited' }]
  const { invite, shown, requests } = await deploymentWith(t, { orgs: [{ slug: 'demo' }], members })
  await invite()
  assert.deepEqual(shown, ['http://gateway/invitations/new'])
  assert.ok(requests.includes('DELETE /v1/ops/orgs/demo/members/mem_1'))
})

test('a deployment that is in use is left alone (ID-36)', async (t) => {
  const inUse: Deployment[] = [
    { orgs: [{ slug: 'acme' }], members: [] },
    { orgs: [{ slug: 'demo' }, { slug: 'acme' }], members: [] },
    { orgs: [{ slug: 'demo' }], members: [{ id: 'mem_1', status: 'active' }] },
  ]
  for (const deployment of inUse) {
    const { invite, shown, requests } = await deploymentWith(t, deployment)
    await invite()
    assert.deepEqual(shown, [])
    assert.ok(requests.every((request) => request.startsWith('GET ')))
  }
})
