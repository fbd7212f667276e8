import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const ana = await org.person('developer')
const token = (await org.serverToken('sandbox')).client
const live = (await org.serverToken('production')).client

const drift = (client: Client, agent: TestAgent, query: string) =>
  client.get(`/v1/insights/drift?agent=${agent.slug}&${query}`)
const openSome = async (agent: TestAgent, client: Client, count: number) => {
  const calls: string[] = []
  for (let n = 0; n < count; n += 1) calls.push(await agent.open(client))
  return calls
}

test('two versions are compared by the calls that ran them and the knobs in which they differ (S-233, S-478, SD-41)', async () => {
  const agent = new TestAgent(token)
  await agent.set(token, { record: true, language: 'en', turn: { endpointing_ms: 1 } })
  const older = await openSome(agent, token, 3)
  await agent.set(token, { language: 'es', record: true, max_duration_s: 5 }, 1)
  const newer = await openSome(agent, token, 2)
  // As the log of each call counts.
  await deployment.sql(
    `update calls set errors = 2, llm_timeouts = 1, ended_at = opened_at + interval '10 seconds' where id = $1`,
    [older[0]],
  )
  await deployment.sql(
    `update calls set errors = 1, ended_at = opened_at + interval '25 seconds' where id = $1`,
    [older[1]],
  )
  await deployment.sql(`update calls set llm_timeouts = 4 where id = $1`, [newer[0]])
  const unused = { calls: 0, errors: 0, llm_timeouts: 0, avg_duration_s: null }
  assert.deepEqual(done(await drift(token, agent, 'before=v1&after=v2')), {
    agent: agent.slug,
    world: 'sandbox',
    before: { version: 1, calls: 3, errors: 3, llm_timeouts: 1, avg_duration_s: 17.5 },
    after: { version: 2, calls: 2, errors: 0, llm_timeouts: 4, avg_duration_s: null },
    fields: ['language', 'turn', 'max_duration_s'],
  })
  await agent.set(token, {}, 2)
  const { before, after: same, fields } = done(await drift(token, agent, 'before=v3&after=v3'))
  assert.deepEqual([before, same, fields], [{ version: 3, ...unused }, { version: 3, ...unused }, []])
})

test('versions are those of the scope that the request means, and so are its calls (SD-07, SD-41)', async () => {
  const agent = new TestAgent(token)
  await agent.set(token, { record: true })
  await agent.set(ana.client, { language: 'es' })
  await agent.set(live, { language: 'en' })
  await openSome(agent, token, 3)
  await openSome(agent, ana.client, 2)
  await openSome(agent, live, 1)
  const calls = async (client: Client, query = '') =>
    done(await drift(client, agent, `before=v1&after=v1${query}`)).before.calls
  assert.equal(await calls(ana.client), 2)
  assert.equal(await calls(ana.client, '&team=true'), 3)
  assert.equal(await calls(token), 3)
  assert.equal(await calls(live), 1)
  const { world } = done(await drift(live, agent, 'before=v1&after=v1'))
  assert.equal(world, 'production')
})

test('what is no version is refused, and one the scope never had is unknown (S-478, SD-41)', async () => {
  const agent = new TestAgent(token)
  await agent.set(token, { record: true })
  for (const said of ['3', 'v', 'v-1', 'v1.5', 'V1', 'newest'])
    refused(await drift(token, agent, `before=${said}&after=v1`), 400, 'before is a version such as v3')
  refused(await drift(token, agent, 'before=v1'), 400, 'after is a version such as v3')
  refused(await drift(token, agent, 'before=v1&after=v2'), 404, 'this corner never had a v2')
  refused(await drift(token, agent, 'before=v0&after=v1'), 404, 'this corner never had a v0')
  refused(await drift(ana.client, agent, 'before=v1&after=v1'), 404, 'this corner never had a v1')
  refused(await drift(token, agent, 'before=v999999999&after=v1'), 404, 'this corner never had a v999999999')
  refused(await drift(token, agent, 'before=v1&after=v1&team=perhaps'), 400, 'team is true or false')
  refused(await token.get('/v1/insights/drift?before=v1&after=v1'), 422, 'agent: is required')
  const malformed = await token.get('/v1/insights/drift?agent=No%20Slug&before=v1&after=v1')
  refused(malformed, 404, 'there is no agent No Slug')
  const app = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  refused(await drift(app, agent, 'before=v1&after=v1'), 403, 'this key does not open calls: it opens app')
})
