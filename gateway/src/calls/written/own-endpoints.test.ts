import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey } from '../../../testing/deployment.ts'
import { refuses } from '../../../testing/providers/model-fake.ts'
import type { changeRow } from '../../../testing/providers/vendors.ts'

const key = 'sk-endpoint-mark-4f1c9e72aa'
const fake = await EndpointFake.start({ key })
const chats = await startChatDeployment({ SVC_PRIVATE_HOSTS: '127.0.0.1', SVC_TRIAL_TIMEOUT_S: '2' })
after(async () => {
  await chats[Symbol.asyncDispose]()
  await fake.stop()
})
const { deployment, org, model, second } = chats
const admin = (await org.person('admin')).client
const ci = (await org.serverToken('sandbox')).client
const at = '/v1/model-endpoints'
const create = async (name: string, more: object = {}) =>
  done(await admin.post(at, { name, base_url: fake.url, model: 'llama-3.3', key, ...more }))
const setAgent = (agent: string, config: object, if_version = 0) =>
  admin.put(`/v1/agents/${agent}/settings`, { config, if_version, team: true })

beforeEach(() => {
  fake.reply = () => ({ text: ['From the', ' endpoint.'] })
  fake.asked.length = 0
  model.reply = () => 'Hello.'
  second.reply = () => 'From the second.'
})
await create('llama')
await create('responding', { wire: 'responses' })

test('an agent is set to an endpoint by custom/<name>, and the set tries it', async () => {
  const agent = new TestAgent(ci)
  done(await setAgent(agent.slug, { llm: 'custom/llama', temperature: 0.5 }))
  assert.deepEqual([fake.asked.length, fake.asked[0]?.body['temperature']], [1, 0.5])
  fake.reply = () => ({ status: 400, error: { message: 'no temperature, please' } })
  refused(
    await setAgent(agent.slug, { llm: 'custom/responding' }, 1),
    400,
    'custom refused: no temperature, please',
  )
})

test('an endpoint that the org does not have is refused, also of another environment and in the org’s judge', async () => {
  const sentence = (knob: string) =>
    `\`${knob}\`: this org has no model endpoint nosuch in this environment: create it with POST /v1/model-endpoints`
  refused(await setAgent('desk', { llm: 'custom/nosuch' }), 400, sentence('llm'))
  refused(await setAgent('desk', { judge: 'custom/nosuch' }), 400, sentence('judge'))
  refused(await setAgent('desk', { llm: 'custom' }), 400, '`llm` names no model of custom')
  refused(await admin.put('/v1/org/judging', { judge: 'custom/nosuch' }), 400, sentence('judge'))
  const inProduction = admin.in('production')
  refused(
    await inProduction.put('/v1/agents/desk/settings', { config: { llm: 'custom/llama' }, if_version: 0 }),
    400,
    sentence('llm').replace('nosuch', 'llama'),
  )
})

for (const [name, path] of [
  ['llama', '/v1/chat/completions'],
  ['responding', '/v1/responses'],
] as const)
  test(`a written call runs on the endpoint ${name} with the org’s key, and costs no credits`, async () => {
    const agent = await chats.newAgent()
    done(await setAgent(agent.slug, { llm: `custom/${name}` }))
    const before = done(await deployment.operator.get(`/v1/ops/orgs/${org.slug}/account`))
    const client = await agent.chat()
    assert.equal(await client.ask('Hi'), 'From the endpoint.')
    const asked = fake.asked.at(-1)
    assert.deepEqual([asked?.path, asked?.headers.authorization], [path, `Bearer ${key}`])
    const [metrics] = await entriesOf(deployment, client.call, 'metrics')
    assert.deepEqual([metrics?.data.vendor, metrics?.data.model], ['custom', name])
    assert.deepEqual(done(await deployment.operator.get(`/v1/ops/orgs/${org.slug}/account`)), before)
  })

test('a change of an endpoint runs from the next call', async () => {
  await create('moving')
  const agent = await chats.newAgent()
  done(await setAgent(agent.slug, { llm: 'custom/moving' }))
  done(await admin.patch(`${at}/moving`, { wire: 'responses' }))
  assert.equal(await (await agent.chat()).ask('Hi'), 'From the endpoint.')
  assert.equal(fake.asked.at(-1)?.path, '/v1/responses')
})

test('workers of the platform and of the org receive the endpoint with its key, as an own key', async () => {
  const agent = new TestAgent(ci)
  done(await setAgent(agent.slug, { llm: 'custom/llama' }))
  const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  const { stages } = done(await agent.keys(fleet))
  const { credentials, ...llm } = stages.llm
  assert.deepEqual(llm, { vendor: 'custom', model: 'llama', key: 'yours', fallbacks: [] })
  assert.equal(credentials.api_key, key)
  assert.deepEqual(JSON.parse(credentials.endpoint), {
    base_url: fake.url,
    wire: 'chat',
    model: 'llama-3.3',
    azure_api_version: null,
    addresses: ['127.0.0.1'],
  })
  const worker = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  assert.deepEqual(done(await agent.keys(worker)).stages.llm, stages.llm)
  const { llm: shown } = await agent.stages(fleet)
  assert.deepEqual([shown.vendor, shown.model, shown.key], ['custom', 'llama', 'yours'])
  assert.ok(!JSON.stringify(await agent.config(fleet)).includes(key))
})

test('an endpoint judges calls, for an agent and for the org', async () => {
  const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  const agent = new TestAgent(ci)
  done(await setAgent(agent.slug, { judge: 'custom/llama' }))
  const { judge } = await agent.config(fleet)
  assert.deepEqual([judge.vendor, judge.model, judge.from], ['custom', 'llama', 'agent'])
  await create('judging')
  done(await admin.put('/v1/org/judging', { judge: 'custom/judging' }))
  const other = await new TestAgent(ci).config(fleet)
  assert.deepEqual([other.judge.vendor, other.judge.model, other.judge.from], ['custom', 'judging', 'org'])
  refused(
    await admin.delete(`${at}/judging`),
    409,
    "custom/judging is in use by the org's judge: set another model there first",
  )
  done(await admin.put('/v1/org/judging', { judge: null }))
})

test('the platform falls back to an endpoint in orgs that have one of this name, and never begins with one', async () => {
  const changed = async (change: Parameters<typeof changeRow>[1]) => {
    const { body: row } = await deployment.operator.get('/v1/ops/providers')
    change(row)
    return deployment.operator.put('/v1/ops/providers', row)
  }
  const sentence = (place: string) =>
    `${place}: custom/llama is an org's own endpoint, which other orgs do not have`
  refused(await changed((row) => (row.defaults.llm = 'custom/llama')), 400, sentence('defaults.llm'))
  refused(await changed((row) => (row.judge = 'custom/llama')), 400, sentence('judge'))
  const { body: before } = await deployment.operator.get('/v1/ops/providers')
  done(await changed((row) => row.fallbacks.llm.unshift('custom/llama')))
  model.reply = () => refuses
  const agent = await chats.newAgent()
  assert.equal(await (await agent.chat()).ask('Hi'), 'From the endpoint.')
  const stranger = await deployment.newOrg()
  const token = await stranger.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(deployment.url, token.key)
  await app.register('desk')
  const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': stranger.slug })
  const { stages } = done(await fleet.get('/v1/agents/desk/provider-keys'))
  assert.deepEqual(
    stages.llm.fallbacks.map(({ vendor }: { vendor: string }) => vendor),
    ['groq'],
  )
  done(await deployment.operator.put('/v1/ops/providers', before))
})

test('an endpoint is not deleted while a version, a canary or a connected app runs on it', async () => {
  await create('used')
  const inUse = (by: string) => `custom/used is in use by ${by}: set another model there first`
  const agent = new TestAgent(ci)
  done(await setAgent(agent.slug, { llm: 'custom/used' }))
  refused(await admin.delete(`${at}/used`), 409, inUse(agent.slug))
  done(await setAgent(agent.slug, {}, 1))
  done(await setAgent(agent.slug, { judge: 'custom/used' }, 2))
  done(await admin.put(`/v1/agents/${agent.slug}/settings/canary`, { version: 3, share: 10, team: true }))
  refused(await admin.delete(`${at}/used`), 409, inUse(agent.slug))
  done(await setAgent(agent.slug, {}, 3))
  refused(await admin.delete(`${at}/used`), 409, inUse(agent.slug))
  done(await admin.delete(`/v1/agents/${agent.slug}/settings/canary?team=true`))
  const declaring = await chats.newAgent({ declares: { llm: 'custom/used' } })
  refused(await admin.delete(`${at}/used`), 409, inUse(declaring.slug))
  await declaring.app.close()
  const gone = async () => (await admin.delete(`${at}/used`)).status
  let status = await gone()
  for (const until = Date.now() + 10_000; status === 409 && Date.now() < until;) status = await gone()
  assert.equal(status, 204)
})

test('a class that declares an endpoint registers if the org has it', async () => {
  const app = await AppClient.connect(deployment.url, chats.key)
  const accepted = await app.register('declaring', { declares: { llm: 'custom/llama' } })
  assert.equal(accepted.type, 'agent.registered')
  const turnedAway = await app.register('declaring-2', { declares: { llm: 'custom/nosuch' } })
  assert.deepEqual(
    [turnedAway.type, turnedAway['code'], turnedAway['detail']],
    [
      'error',
      'PROVIDER_KEY_REQUIRED',
      '`llm`: this org has no model endpoint nosuch in this environment: create it with POST /v1/model-endpoints',
    ],
  )
  await app.close()
})

test('the catalogue and the verdict on a model know the org’s endpoints', async () => {
  const { providers, models } = done(await admin.get('/v1/providers'))
  const custom = providers.find(({ name }: { name: string }) => name === 'custom')
  assert.deepEqual([custom.availability, custom.ready, custom.does], ['yours', true, ['llm']])
  assert.ok(models['llm/custom'].includes('llama'))
  const stranger = (await (await deployment.newOrg()).person('admin')).client
  const elsewhere = done(await stranger.get('/v1/providers'))
  assert.equal(
    elsewhere.providers.find(({ name }: { name: string }) => name === 'custom').availability,
    'bring your own',
  )
  assert.equal(elsewhere.models['llm/custom'], undefined)
  const asked = (name: string) => `/api/models/access?service=llm&model=custom/${name}`
  const dashboard = deployment.dashboard.as(chats.key)
  const verdict = { provider: 'custom', managed: false, planAllowed: true, requiresKey: true }
  assert.deepEqual(done(await dashboard.get(asked('llama'))), {
    ...verdict,
    hasKey: true,
    allowed: true,
    reason: 'ok',
  })
  assert.deepEqual(done(await dashboard.get(asked('nosuch'))), {
    ...verdict,
    hasKey: false,
    allowed: false,
    reason: 'byok_key_required',
  })
  refused(
    await admin.put('/v1/provider-keys/custom', { key: 'k' }),
    400,
    'custom takes no key alone: create a model endpoint with POST /v1/model-endpoints',
  )
})
