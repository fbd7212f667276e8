import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { fleetKey, startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client } = await org.person('admin', { production: true })

test('a field of a body that is a slip away from a known one is refused with that name, and nothing is done', async () => {
  const answer = await client.post('/v1/members', {
    email: 'ana@example.com',
    role: 'qa',
    prodution: true,
  })
  refused(answer, 400, 'prodution: there is no such field; did you mean production?')
  assert.equal(answer.body.code, 'UNKNOWN_FIELD')
  const { members } = (await client.get('/v1/members')).body
  assert.ok(!members.some(({ email }: { email: string }) => email === 'ana@example.com'))
  refused(
    await client.put('/v1/agents/desk/settings', { config: {}, if_version: 0, Team: true }),
    400,
    'Team: there is no such field; did you mean team?',
  )
})

test('so is a field of an object inside a body', async () => {
  const hours = { start: '09:00', end: '20:00', dyas: ['mon'] }
  refused(
    await client.put('/v1/org/policy', { calling_hours: hours }),
    400,
    'calling_hours.dyas: there is no such field; did you mean days?',
  )
})

test('so is a parameter of a query, which would answer more than was asked for', async () => {
  const answer = await client.get('/v1/sessions?agnet=desk')
  refused(answer, 400, 'agnet: there is no such query parameter; did you mean agent?')
  assert.equal(answer.body.code, 'UNKNOWN_FIELD')
  refused(
    await client.get('/v1/org/audit?limt=5'),
    400,
    'limt: there is no such query parameter; did you mean limit?',
  )
})

test('an unknown field that resembles none, or one that was sent as well, is ignored (ID-02, ND-01, SD-02)', async () => {
  const invited = await client.post('/v1/members', {
    email: 'ben@example.com',
    role: 'qa',
    nonsense: 1,
    x: null,
    roles: ['qa'],
  })
  assert.equal(invited.status, 201, invited.text)
  assert.equal((await client.get('/v1/sessions?utm_source=mail&agent=desk&agents=desk')).status, 200)
})

test('a missing field and a refused key come before a misspelt one (ID-05)', async () => {
  refused(
    await client.post('/v1/members', { emial: 'ana@example.com', role: 'qa' }),
    422,
    'email: is required',
  )
  const { client: reader } = await org.serverToken('sandbox', { scopes: ['calls'] })
  assert.equal(
    (await reader.post('/v1/members', { email: 'a@example.com', role: 'qa', naem: '' })).status,
    403,
  )
})

test('a worker of another version is refused no field, and a provider that adds some is none of ours', async () => {
  const beat = { worker: 'w', env: 'sandbox', calls: 0, capacity: 1, draining: false, drainig: true }
  const answer = await deployment.anonymous.as(fleetKey).post('/v1/worker/beats', beat)
  assert.ok(answer.status < 300, answer.text)
  const callback = await deployment.anonymous.get(`/v1/login/sso/callback/${org.id}?stat=x&state=y`)
  assert.doesNotMatch(callback.text, /did you mean/)
})

test('a body of many unknown fields is read without comparing each', async () => {
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`field-${index}`, 1]))
  const answer = await client.post('/v1/members', { email: 'eva@example.com', role: 'qa', ...many })
  assert.equal(answer.status, 201, answer.text)
})
