import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const token = await org.serverToken('sandbox')
const opened = async (agent: string): Promise<string> =>
  (await token.client.post('/v1/calls', { agent })).body.call

const ofCalls = deployment.gateway.server.routes.all.filter(
  ({ method, path }) => method !== 'HEAD' && path.split('/').includes(':call'),
)
/** What a person may ask of a call; the rest is its worker's. */
const ofPersons = ofCalls.filter(({ access }) => !['worker', 'appOrFleet'].includes(access.kind))

test('events, state, settings and verbs of a call are among what is walked here (I-315)', () => {
  const walked = ofPersons.map(({ method, path }) => `${method} ${path}`)
  for (const endpoint of ['GET :call/events', 'GET :call/state', 'GET :call/settings', 'POST :call/verbs'])
    assert.ok(
      walked.includes(endpoint.replace(':call', '/v1/calls/:call')),
      `${endpoint}: ${walked.join(', ')}`,
    )
})

test('every endpoint of a call refuses a person whose list lacks its agent, and answers them like others about an unknown call (I-315, I-303, I-304, ID-170)', async () => {
  const narrowed = await org.person('admin', { agents: ['desk', 'sales'] })
  const call = await opened('support')
  for (const { method, path } of ofCalls) {
    const at = (id: string) =>
      narrowed.client.send(method, path.replace(':call', id).replaceAll(/:\w+/g, 'x'))
    const answer = await at(call)
    assert.equal(answer.status, 403, `${method} ${path}`)
    if (!ofPersons.some((route) => route.method === method && route.path === path)) continue
    refused(answer, 403, 'this key works on desk · sales alone')
    assert.notEqual((await at('nosuch')).status, 403, `${method} ${path}`)
  }
})

test('a verb on a call of an agent in the list is taken, and on one outside it nothing is written (I-315)', async () => {
  const { client } = await org.person('supervisor', { agents: ['desk'] })
  const [inside, outside] = [await opened('desk'), await opened('support')]
  assert.equal((await client.post(`/v1/calls/${inside}/verbs`, { verb: 'end' })).status, 202)
  refused(
    await client.post(`/v1/calls/${outside}/verbs`, { verb: 'end' }),
    403,
    'this key works on desk alone',
  )
  const { rows } = await deployment.sql('select state from calls where id = $1', [outside])
  assert.deepEqual(rows, [{ state: 'open' }])
})
