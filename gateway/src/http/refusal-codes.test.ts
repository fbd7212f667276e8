import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { refusalCodes, usualCodeOf } from '@switchroom/contract/refusal-codes'
import { refused } from '../../testing/client.ts'
import { startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator } = deployment
const org = await deployment.newOrg()
const { client } = await org.person('admin', { production: true })

test('a refusal has a code beside its sentence, which tells apart what a program handles in different ways', async () => {
  const { client: reader } = await org.serverToken('sandbox', { scopes: ['calls'] })
  const { client: narrowed } = await org.person('developer', { agents: ['billing'] })
  const settings = '/v1/agents/desk/settings'
  const stale = { config: {}, if_version: 7 }
  const cases: [Promise<Awaited<ReturnType<typeof client.get>>>, status: number, code: string][] = [
    [anonymous.get('/v1/whoami'), 401, 'MISSING_KEY'],
    [anonymous.as('svc_invented').get('/v1/whoami'), 401, 'INVALID_KEY'],
    [reader.get('/v1/members'), 403, 'MISSING_SCOPE'],
    [narrowed.get('/v1/agents/desk/settings'), 403, 'AGENT_NOT_ALLOWED'],
    [client.get('/v1/nowhere'), 404, 'NOT_FOUND'],
    [client.send('PATCH', '/v1/members'), 405, 'METHOD_NOT_ALLOWED'],
    [client.put(settings, stale), 409, 'STALE_VERSION'],
    [client.post('/v1/tokens', { agent: 'desk' }), 409, 'AGENT_OFFLINE'],
    [client.post('/v1/agents/desk/dial', { to: '12' }), 400, 'BAD_NUMBER'],
    [client.post('/v1/members', { role: 'qa' }), 422, 'BAD_SHAPE'],
    [client.post('/v1/members', { email: 'a@example.com', role: 'king' }), 400, 'BAD_REQUEST'],
    [client.get('/v1/chat?agent=desk'), 426, 'UPGRADE_REQUIRED'],
    [anonymous.get('/v1/login/social'), 503, 'UNAVAILABLE'],
  ]
  for (const [asked, status, code] of cases) {
    const answer = await asked
    refused(answer, status, /./)
    assert.equal(answer.body.code, code, answer.text)
  }
  const quotas = {
    minutes: null,
    messages: null,
    agents: null,
    concurrent_calls: null,
    numbers: null,
    seats: 1,
  }
  await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, quotas)
  const past = await client.post('/v1/members', { email: 'ana@example.com', role: 'qa' })
  refused(past, 429, /credits\.exhausted$/)
  assert.equal(past.body.code, 'QUOTA_EXCEEDED')
})

test('each status that a route documents has a code of its own, and a code says the status it comes with', () => {
  const documented = new Set(
    deployment.gateway.server.routes.all.flatMap(({ schema }) => Object.keys(schema.response ?? {})),
  )
  for (const status of [...documented].map(Number).filter((one) => one >= 400))
    assert.equal(refusalCodes[usualCodeOf(status)].status, status)
  assert.equal(usualCodeOf(599), 'INTERNAL_ERROR')
})

test('the page about the API lists every code with its status and its meaning', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \| (.+) \|$/gm)]
  const listed = rows.map(([, status, code, means]) => ({ status: Number(status), code, means }))
  const wanted = Object.entries(refusalCodes).map(([code, { status, means }]) => ({ status, code, means }))
  assert.deepEqual(listed, wanted)
})
