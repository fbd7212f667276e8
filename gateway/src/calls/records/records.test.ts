import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const ana = await org.person('developer', { production: true })
const ben = await org.person('developer')
const token = (await org.serverToken('sandbox')).client
const live = (await org.serverToken('production')).client
const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })

const newAgent = () => new TestAgent(token)
const settingsOf = async (client: Client, call: string) =>
  done(await client.get(`/v1/calls/${call}/settings`))

test('a call is opened with an id of ours, in the environment of the request (SD-36, SD-02)', async () => {
  const agent = newAgent()
  const answer = await ana.client.in('production').post('/v1/calls', { agent: agent.slug, channel: 'chat' })
  assert.equal(answer.status, 201)
  assert.deepEqual(Object.keys(answer.body), ['call', 'agent', 'env'])
  assert.match(answer.body.call, /^call_[0-9a-f]{24}$/)
  assert.deepEqual([answer.body.agent, answer.body.env], [agent.slug, 'production'])
  const { rows } = await deployment.sql('select holder, channel, config_version from calls where id = $1', [
    answer.body.call,
  ])
  assert.deepEqual(rows, [{ holder: '', channel: 'chat', config_version: null }])
})

test('what a call is opened with is judged: its channel, its agent, the key’s scope (SD-36, SD-03)', async () => {
  refused(
    await ana.client.post('/v1/calls', { agent: 'desk', channel: 'fax' }),
    400,
    'channel is chat or web',
  )
  refused(await ana.client.post('/v1/calls', { agent: 'No Slug' }), 404, 'there is no agent No Slug')
  refused(await ana.client.post('/v1/calls', {}), 422, 'agent: is required')
  const qa = await org.person('qa')
  refused(
    await qa.client.post('/v1/calls', { agent: 'desk' }),
    403,
    'this key does not open talk: it opens calls · evals',
  )
})

test('a call names its agent, and so counts against the org’s quota of agents (SD-03)', async () => {
  const small = await deployment.newOrg()
  const { client } = await small.serverToken('sandbox')
  const { quotas } = (await deployment.operator.get(`/v1/ops/orgs/${small.slug}`)).body
  await deployment.operator.put(`/v1/ops/orgs/${small.slug}/quotas`, { ...quotas, agents: 1 })
  assert.equal((await client.post('/v1/calls', { agent: 'one' })).status, 201)
  assert.equal((await client.post('/v1/calls', { agent: 'one' })).status, 201)
  const sentence = `org ${small.slug} has used 1 of its 1 agents: credits.exhausted`
  refused(await client.post('/v1/calls', { agent: 'two' }), 429, sentence)
  refused(await client.get('/v1/agents/two/config?for_call=first'), 429, sentence)
  assert.equal((await client.get('/v1/agents/two/config')).status, 200)
})

test('a call runs the scopes of the person who opened it, for every later caller (S-025, S-032, S-033, SD-10, ST-011)', async () => {
  const agent = newAgent()
  await agent.set(token, { language: 'en', record: true })
  await agent.set(ana.client, { language: 'es' })
  const ofAna = await agent.open(ana.client)
  const ofBen = await agent.open(ben.client)
  const ofToken = await agent.open(token)
  for (const [call, language] of [
    [ofAna, 'es'],
    [ofBen, 'en'],
    [ofToken, 'en'],
  ] as const)
    for (const asker of [ana.client, ben.client, token, fleet]) {
      const { config: run } = await agent.config(asker, call)
      assert.deepEqual([run.language, run.record], [language, true])
    }
})

test('without a call a key that names a person runs theirs, and nothing is kept (SD-10, SD-35, ST-063)', async () => {
  const agent = newAgent()
  await agent.set(token, { language: 'en' })
  await agent.set(ana.client, { language: 'es' })
  const answer = await agent.config(ana.client)
  assert.deepEqual([answer.config.language, answer.call, answer.config_version], ['es', null, 1])
  assert.equal((await agent.config(fleet)).config.language, 'en')
  const { rowCount } = await deployment.sql('select from calls where agent = $1', [agent.slug])
  assert.equal(rowCount, 0)
})

test('production and the sandbox never read each other (S-025, SD-09, ST-010)', async () => {
  const agent = newAgent()
  await agent.set(token, { language: 'en' })
  await agent.set(live, { record: true })
  assert.deepEqual((await agent.config(live, 'live-1')).config, { llm_timeout_s: 12, record: true })
  assert.deepEqual((await agent.config(token, 'test-1')).config, { llm_timeout_s: 12, language: 'en' })
})

test('presence decides, per knob and whole (S-034, S-035, S-036, S-037, ST-001, ST-002)', async () => {
  const agent = newAgent()
  const team = {
    max_duration_s: 600,
    turn: { endpointing_ms: 500, eot_threshold: 0.7 },
    bases: [{ base: 'faq' }],
    record: true,
  }
  await agent.set(token, team)
  const own = { max_duration_s: 0, turn: { endpointing_ms: 0 }, bases: [], record: false }
  await agent.set(ana.client, own)
  assert.deepEqual((await agent.config(ana.client)).config, { ...own, llm_timeout_s: 12 })
  await agent.set(ana.client, {}, 1)
  assert.equal((await agent.config(ana.client)).config.max_duration_s, 600)
  assert.deepEqual((await agent.config(ana.client)).config.bases, [
    { base: 'faq', mode: 'auto', k: 5, min_score: 0 },
  ])
})

test('a call answers the row and the lexicon it recorded, for ever (S-038, S-167, S-474, S-475, SD-37, ST-066, ST-067)', async () => {
  const agent = newAgent()
  await agent.setVersions(7)
  await token.put(`${agent.at}/lexicon`, { lexicon: { heard: ['Wout'] }, if_version: 0 })
  await agent.set(ana.client, { record: true })
  await agent.set(ana.client, { record: false }, 1, { note: 'second' })
  const call = await agent.open(ana.client)
  const recorded = await settingsOf(ben.client, call)
  assert.deepEqual(Object.keys(recorded), [
    'config_version',
    'lexicon_version',
    'config',
    'lexicon',
    'canary',
  ])
  const { config, lexicon } = recorded
  assert.deepEqual([recorded.config_version, recorded.lexicon_version, recorded.canary], [2, 1, false])
  assert.deepEqual(Object.keys(config), ['holder', 'version', 'author', 'note', 'set_at', 'config'])
  assert.deepEqual([config.holder, config.note, config.config], [ana.id, 'second', { record: false }])
  assert.deepEqual(config, (await ana.client.get(`${agent.at}/settings`)).body.yours)
  assert.deepEqual(lexicon, (await ana.client.get(`${agent.at}/lexicon`)).body.team)

  await agent.set(ana.client, { record: true }, 2)
  await ana.client.put(`${agent.at}/lexicon`, { lexicon: { heard: ['Ximena'] }, if_version: 0 })
  assert.deepEqual(await settingsOf(ana.client, call), recorded)
  assert.equal((await settingsOf(ana.client, await agent.open(ana.client))).config_version, 3)
  assert.equal((await settingsOf(ana.client, await agent.open(token))).config_version, 7)
})

test('a call of an agent without settings has no rows (S-168)', async () => {
  const call = await newAgent().open(token)
  assert.deepEqual(await settingsOf(token, call), {
    config_version: null,
    lexicon_version: null,
    config: null,
    lexicon: null,
    canary: false,
  })
})

test('an unknown call, another org’s and the other environment’s are one 404; without `calls` it is 403 (S-167, S-362, ST-068, SD-37)', async () => {
  const call = await newAgent().open(token)
  const unknown = (id: string) => `there is no call ${id}`
  const stranger = (await (await deployment.newOrg()).person('developer')).client
  refused(await token.get('/v1/calls/nosuch/settings'), 404, unknown('nosuch'))
  refused(await stranger.get(`/v1/calls/${call}/settings`), 404, unknown(call))
  refused(await ana.client.in('production').get(`/v1/calls/${call}/settings`), 404, unknown(call))
  const app = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  refused(await app.get(`/v1/calls/${call}/settings`), 403, 'this key does not open calls: it opens app')
})

test('narrowing goes by the call’s agent (I-311, I-315, S-426, ST-069, ST-068)', async () => {
  const [mine, other] = [newAgent(), newAgent()]
  const narrowed = (await org.person('developer', { agents: [mine.slug], production: true })).client
  const sentence = `this key works on ${mine.slug} alone`
  const outside = await other.open(token)
  refused(await narrowed.get(`/v1/calls/${outside}/settings`), 403, sentence)
  refused(await narrowed.post('/v1/calls', { agent: other.slug }), 403, sentence)
  refused(await narrowed.get(`${other.at}/config`), 403, sentence)
  refused(await narrowed.get(`/v1/insights/drift?agent=${other.slug}&before=v1&after=v1`), 403, sentence)
  assert.equal((await narrowed.get(`/v1/calls/${await mine.open(token)}/settings`)).status, 200)
  const unknown = `there is no call ${outside}`
  refused(await narrowed.in('production').get(`/v1/calls/${outside}/settings`), 404, unknown)
  refused(await narrowed.get('/v1/calls/nosuch/settings'), 404, 'there is no call nosuch')
  const stranger = (await (await deployment.newOrg()).person('developer', { agents: ['desk'] })).client
  refused(await stranger.get(`/v1/calls/${outside}/settings`), 404, unknown)
})

test('a worker’s own call id is of its form, and of one org, agent and environment (SD-36, S-173)', async () => {
  const agent = newAgent()
  await agent.set(token, { record: true })
  const longest = 'a-Z_9'.padEnd(128, 'x')
  assert.equal((await agent.config(token, longest)).call, longest)
  assert.equal((await settingsOf(token, longest)).config_version, 1)
  const form = 'for_call is 1 to 128 letters, digits, dashes and underscores'
  for (const id of ['', 'x'.repeat(129), 'a%20b', 'a%2Fb', '%C3%A9'])
    refused(await token.get(`${agent.at}/config?for_call=${id}`), 400, form)
  const unknown = `there is no call ${longest}`
  refused(await token.get(`${newAgent().at}/config?for_call=${longest}`), 404, unknown)
  refused(await live.get(`${agent.at}/config?for_call=${longest}`), 404, unknown)
  const stranger = (await (await deployment.newOrg()).serverToken('sandbox')).client
  refused(await stranger.get(`${agent.at}/config?for_call=${longest}`), 404, unknown)
  refused(await stranger.get(`${agent.at}/provider-keys?for_call=${longest}`), 404, unknown)
  refused(await token.get(`/v1/agents/No%20Slug/config`), 404, 'there is no agent No Slug')
})

test('two orgs that name one new call concurrently: one has it, to the other it is unknown (SD-36)', async () => {
  const other = await deployment.newOrg()
  const others = deployment.anonymous.as(fleetKey).with({ 'svc-org': other.slug })
  for (let round = 0; round < 5; round += 1) {
    const call = `shared-${round}`
    const answers = await Promise.all(
      [fleet, others, fleet, others].map((client) => client.get(`/v1/agents/desk/config?for_call=${call}`)),
    )
    const statuses = answers.map(({ status }) => status)
    assert.ok(['200,404,200,404', '404,200,404,200'].includes(statuses.join(',')), statuses.join(','))
  }
})
