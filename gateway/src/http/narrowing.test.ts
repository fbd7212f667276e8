import { after, before, describe, test } from 'node:test'
import assert from 'node:assert/strict'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { Client, refused } from '../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../testing/deployment.ts'
import { anyKey } from './access.ts'
import { gatewayAnswers } from './answers.ts'
import { makeServer } from './make-server.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

// A server as it ships, with routes that name an agent in each of the three ways.
const { settings, authentication, fleet, agentOfCall, logger } = deployment.gateway.services
const server = makeServer({
  settings,
  authentication,
  fleet,
  agentOfCall,
  logger,
  metrics: new Registry(),
  answers: gatewayAnswers,
})
const Ok = { 200: Type.Object({}) }
server.get('/v1/agents/:agent/probe', { access: anyKey, schema: { response: Ok } }, async () => ({}))
server.get('/v1/probe', { access: anyKey, schema: { response: Ok } }, async () => ({}))
server.post(
  '/v1/probe',
  { access: anyKey, schema: { body: Type.Object({ n: Type.Integer() }), response: Ok } },
  async () => ({}),
)
server.get(
  '/v1/calls/:call/probe',
  { access: anyKey, schema: { params: Type.Object({ call: Type.String() }), response: Ok } },
  async () => ({}),
)
const probe = new Client(await server.listen({ host: '127.0.0.1', port: 0 }), server.routes)
after(() => server.close())

const sentence = 'this key works on billing · sales alone'

describe('a person with a list of agents', () => {
  let narrowed: Client
  let org: TestOrg
  before(async () => {
    org = await deployment.newOrg()
    narrowed = probe.as((await org.person('developer', { agents: ['billing', 'sales', 'billing'] })).key)
  })

  test('is refused an agent outside it in a path, naming the list (I-303, I-304, I-305, I-492, ID-170, T-53)', async () => {
    refused(await narrowed.get('/v1/agents/support/probe'), 403, sentence)
    assert.equal((await narrowed.get('/v1/agents/sales/probe')).status, 200)
  })

  test('is refused it as ?agent=, also when it is given twice (I-306, ID-170)', async () => {
    refused(await narrowed.get('/v1/probe?agent=support'), 403, sentence)
    refused(await narrowed.get('/v1/probe?agent=sales&agent=support'), 403, sentence)
    assert.equal((await narrowed.get('/v1/probe?agent=sales')).status, 200)
  })

  test('is refused it in a body, before the body is judged (I-307, I-308, ID-05, ID-170, ID-171)', async () => {
    refused(await narrowed.post('/v1/probe', { agent: 'support' }), 403, sentence)
    refused(await narrowed.post('/v1/probe', { agent: 'sales' }), 422, 'n: is required')
  })

  test('is refused a call of such an agent, and of no other org or environment (S-426, ST-069, ID-170)', async () => {
    const opened = async (client: Client, agent: string): Promise<string> =>
      (await client.post('/v1/calls', { agent })).body.call
    const [token, live] = [await org.serverToken('sandbox'), await org.serverToken('production')]
    const stranger = await (await deployment.newOrg()).serverToken('sandbox')
    const at = (call: string) => narrowed.get(`/v1/calls/${call}/probe`)
    refused(await at(await opened(token.client, 'support')), 403, sentence)
    assert.equal((await at(await opened(token.client, 'sales'))).status, 200)
    for (const elsewhere of [live, stranger])
      assert.equal((await at(await opened(elsewhere.client, 'support'))).status, 200)
    assert.equal((await at('nosuch')).status, 200)
  })

  test('is not narrowed if no agent is named (I-316)', async () => {
    assert.equal((await narrowed.get('/v1/probe')).status, 200)
  })
})

test('an empty list means every agent of the org (I-090, I-089)', async () => {
  const anybody = await (await deployment.newOrg()).person('developer')
  assert.equal((await probe.as(anybody.key).get('/v1/agents/support/probe')).status, 200)
})

test('a server token holds no list (I-317)', async () => {
  const token = await (await deployment.newOrg()).serverToken('sandbox')
  assert.equal((await probe.as(token.key).get('/v1/agents/support/probe')).status, 200)
})

test("a visit to another org is not bound by the visitor's own list, and their own org is (I-318, ID-60, ID-172)", async () => {
  const home = await deployment.newOrg()
  const olga = await home.person('developer', { agents: ['sales'], operator: true })
  const visit = await olga.client.post('/v1/login/org', { org: (await deployment.newOrg()).slug })
  assert.equal((await probe.as(visit.body.key).get('/v1/agents/support/probe')).status, 200)
  refused(await probe.as(olga.key).get('/v1/agents/support/probe'), 403, 'this key works on sales alone')
})

test('the list is read from the member row at every request (ID-170, T-54)', async () => {
  const person = await (await deployment.newOrg()).person('developer')
  assert.equal((await probe.as(person.key).get('/v1/agents/support/probe')).status, 200)
  await deployment.sql(`update members set agents = '{sales}' where id = $1`, [person.id])
  refused(await probe.as(person.key).get('/v1/agents/support/probe'), 403, 'this key works on sales alone')
})
