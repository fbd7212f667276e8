import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { mostEndpoints } from '@switchroom/contract/endpoint-names'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { endpointKey, startEndpointDeployment } from '../../../testing/providers/endpoint-deployment.ts'

const endpoints = await startEndpointDeployment()
after(() => endpoints[Symbol.asyncDispose]())
const { deployment, fake, wanted, create } = endpoints
const at = '/v1/model-endpoints'

beforeEach(() => {
  fake.reply = () => ({ text: ['Yes'] })
})

async function newManager() {
  const org = await deployment.newOrg()
  return { org, manager: await org.person('manager') }
}

/** Answers only when both requests have asked: neither has kept anything before the other is tried. */
function answerBothAtOnce() {
  const both = Promise.withResolvers<void>()
  let asked = 0
  fake.reply = async () => {
    asked += 1
    if (asked === 2) both.resolve()
    await both.promise
    return { text: ['Yes'] }
  }
}

test('of two requests at the same time for one name, on two gateways, one is kept', async () => {
  const { manager } = await newManager()
  await using other = await deployment.another()
  const there = other.anonymous.as(manager.key)
  answerBothAtOnce()
  const made = await Promise.all([
    manager.client.post(at, wanted('llama')),
    there.post(at, wanted('llama', { wire: 'responses' })),
  ])
  const [kept, lost] = made.toSorted((a, b) => a.status - b.status)
  assert.ok(kept && lost)
  assert.equal(kept.status, 201, kept.text)
  refused(
    lost,
    409,
    'there is a model endpoint llama in sandbox already: change that one, or take another name',
  )
  assert.deepEqual((await there.get(`${at}/llama`)).body, kept.body)
})

test('of two changes at the same time, on two gateways, the later is refused', async () => {
  const { manager } = await newManager()
  await create(manager, 'llama')
  await using other = await deployment.another()
  const there = other.anonymous.as(manager.key)
  answerBothAtOnce()
  const changes = await Promise.all([
    manager.client.patch(`${at}/llama`, { wire: 'responses' }),
    there.patch(`${at}/llama`, { key: endpointKey }),
  ])
  const [kept, lost] = changes.toSorted((a, b) => a.status - b.status)
  assert.ok(kept && lost)
  assert.equal(kept.status, 200, kept.text)
  refused(lost, 409, 'custom/llama was changed by another request: try again')
  assert.deepEqual((await there.get(`${at}/llama`)).body, kept.body)
})

test('an org has at most fifty in an environment', async () => {
  const { org, manager } = await newManager()
  await create(manager, 'last')
  await deployment.sql(
    `insert into model_endpoints (org, env, name, base_url, wire, model, created_at, changed_at, tried_at)
     select $1, 'sandbox', 'n' || n, 'https://llm.example.com', 'chat', 'm', now(), now(), now()
     from generate_series(2, $2::int) n`,
    [org.id, mostEndpoints],
  )
  refused(
    await manager.client.post(at, wanted('more')),
    409,
    'this org has 50 model endpoints in sandbox, the most: delete one first',
  )
  assert.equal((await manager.client.delete(`${at}/n2`)).status, 204)
  await create(manager, 'more')
})

test('an endpoint’s key is sealed for its own place, and is in no answer, audit entry or log line', async () => {
  const { org, manager } = await newManager()
  await create(manager, 'llama')
  await create(manager, 'other')
  done(await manager.client.patch(`${at}/llama`, { key: endpointKey }))
  const { rows } = await deployment.sql('select name, sealed from model_endpoints where org = $1', [org.id])
  const [one, two] = rows as { name: string; sealed: Buffer }[]
  assert.ok(one && two && !one.sealed.includes(endpointKey))
  await deployment.sql('update model_endpoints set sealed = $3 where org = $1 and name = $2', [
    org.id,
    two.name,
    one.sealed,
  ])
  const place = { org: org.id, env: 'sandbox' } as const
  await assert.rejects(deployment.gateway.services.modelEndpoints.credentialsOf(place, two.name))
  const { rows: audited } = await deployment.sql('select * from audit where org = $1', [org.id])
  assert.ok(audited.length > 0)
  assert.ok(!JSON.stringify(audited).includes(endpointKey))
  assert.ok(!deployment.log().includes(endpointKey))
})

test('what happened to an endpoint is in the audit log, without its key', async () => {
  const { org, manager } = await newManager()
  await create(manager, 'llama')
  done(await manager.client.patch(`${at}/llama`, { wire: 'responses', key: endpointKey }))
  done(await manager.client.delete(`${at}/llama`))
  const { client } = await org.person('admin')
  const { entries } = done(await client.get('/v1/org/audit?target=llama'))
  const created = {
    base_url: fake.url,
    wire: 'chat',
    model: 'llama-3.3',
    azure_api_version: null,
    keyed: true,
  }
  const changed = { wire: { before: 'chat', after: 'responses' }, key_replaced: true }
  const place = ['sandbox', { kind: 'model_endpoint', id: 'llama', label: 'llama' }]
  assert.deepEqual(
    entries.map(({ action, env, target, detail }: Record<string, unknown>) => [action, env, target, detail]),
    [
      ['model_endpoint.deleted', ...place, {}],
      ['model_endpoint.changed', ...place, changed],
      ['model_endpoint.created', ...place, created],
    ],
  )
})
