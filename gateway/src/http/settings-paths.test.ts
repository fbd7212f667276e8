import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

/** Of document 2, sections 4.1 to 4.5. */
const documented = [
  'GET /v1/agents/desk/settings',
  'PUT /v1/agents/desk/settings',
  'GET /v1/agents/desk/settings/history',
  'GET /v1/agents/desk/settings/diff',
  'POST /v1/agents/desk/settings/rollback',
  'GET /v1/calls/call_1/settings',
  'GET /v1/agents/desk/config',
  'GET /v1/agents/desk/provider-keys',
  'PUT /v1/org/judging',
  'GET /v1/agents/desk/settings/canary',
  'PUT /v1/agents/desk/settings/canary',
  'DELETE /v1/agents/desk/settings/canary',
  'GET /v1/agents/desk/lexicon',
  'PUT /v1/agents/desk/lexicon',
  'GET /v1/agents/desk/lexicon/history',
  'GET /v1/providers',
  'GET /v1/provider-keys',
  'PUT /v1/provider-keys/acme',
  'DELETE /v1/provider-keys/acme',
  'GET /v1/voices',
  'POST /v1/voices/sample',
]

test("settings, canaries, lexicons, vendors and voices are asked for under the gateway's address (S-001)", async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin')
  const asked = async (door: string, headers: Record<string, string> = {}) => {
    const [method = '', path] = door.split(' ')
    return fetch(`${deployment.url}${path}`, { method, headers })
  }
  for (const door of documented) assert.equal((await asked(door)).status, 401, door)
  assert.equal((await asked('GET /v1/nothing')).status, 404)
  const catalogue = await asked('GET /v1/providers', { authorization: `Bearer ${key}` })
  assert.equal(catalogue.status, 200)
})
