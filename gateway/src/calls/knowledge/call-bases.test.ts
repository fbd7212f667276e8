import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { entriesOf, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { chunk, testBase } from '../../../testing/knowledge/test-bases.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const { client: admin } = await org.person('admin', { production: true })

const prices = await testBase(deployment, org.id, { base: 'prices', language: 'en' })
await prices.put('prices.md', [
  chunk('A double room costs 120 euros.', ['Rooms']),
  chunk('A single room costs 80 euros.', ['Rooms']),
])
const own = await testBase(deployment, org.id, { base: 'own', language: 'en', agents: ['desk'] })
await own.put('own.md', ['The double room faces the garden.'])
await testBase(deployment, org.id, { base: 'unnamed' })
const live = await testBase(deployment, org.id, { base: 'prices', env: 'production', language: 'en' })
await live.put('live.md', ['A double room costs 200 euros.'])

const bases = [
  { base: 'prices', mode: 'always', k: 1, deadline_ms: 300 },
  { base: 'own', mode: 'tool' },
]

async function spokenAgent(slug: string) {
  const agent = await new SpokenAgent(deployment, org, slug).route()
  await agent.holdingApp('sandbox', { declares: { docs: bases } })
  return agent
}
const desk = await spokenAgent('desk')
const bar = await spokenAgent('bar')

test('a worker reads how a call uses its bases with the rest that it needs', async () => {
  const call = await desk.open()
  const { bases: used } = done(await desk.fleet.get(`/v1/calls/${call}/instructions`))
  const how = { description: '', documents: [], note: null, usable: true }
  assert.deepEqual(used, [
    { base: 'prices', mode: 'auto', deadline_ms: 300, ...how },
    { base: 'own', mode: 'tool', deadline_ms: 150, ...how },
  ])
  const [, unusable] = done(await bar.fleet.get(`/v1/calls/${await bar.open()}/instructions`)).bases
  assert.deepEqual([unusable.base, unusable.usable], ['own', false])
  const plain = await new SpokenAgent(deployment, org, 'plain').route()
  await plain.holdingApp()
  assert.equal(done(await plain.fleet.get(`/v1/calls/${await plain.open()}/instructions`)).bases, undefined)
})

test('a worker looks something up with the settings of the call, at any gateway', async () => {
  const call = await desk.open()
  const asked = { base: 'prices', query: 'double room' }
  for (const fleet of [desk.fleet, other.anonymous.as(fleetKey)]) {
    const found = done(await fleet.post(`/v1/calls/${call}/look-ups`, asked))
    assert.deepEqual(
      found.passages.map(({ text, name, heading }: Record<string, unknown>) => [text, name, heading]),
      [['A double room costs 120 euros.', 'prices.md', ['Rooms']]],
    )
    assert.ok(found.best_score > 0 && found.ms >= 0)
  }
  const { passages } = done(
    await desk.fleet.post(`/v1/calls/${call}/look-ups`, { base: 'own', query: 'garden' }),
  )
  assert.equal(passages[0].text, 'The double room faces the garden.')
})

test('a worker looks into no base that the settings of its call do not name, that the agent may not search, or of a call of another org', async () => {
  const call = await desk.open()
  const at = `/v1/calls/${call}/look-ups`
  refused(
    await desk.fleet.post(at, { base: 'unnamed', query: 'x' }),
    403,
    'the settings of desk do not name the base unnamed: add it to `bases`, or use a key that opens knowledge',
  )
  refused(
    await bar.fleet.post(`/v1/calls/${await bar.open()}/look-ups`, { base: 'own', query: 'x' }),
    404,
    'there is no base own',
  )
  const stranger = await deployment.newOrg()
  const { client } = await stranger.serverToken('sandbox')
  refused(await client.post(at, { base: 'prices', query: 'x' }), 404, `there is no call ${call}`)
  const { client: ownLive } = await org.serverToken('production')
  refused(await ownLive.post(at, { base: 'prices', query: 'x' }), 404, `there is no call ${call}`)
  refused(
    await admin.post(at, { base: 'prices', query: 'x' }),
    403,
    "this door takes a worker's key: no person is handed a key of a vendor",
  )
})

test('an app searches the bases that the settings of its call name, and the log has it as the app’s search', async () => {
  const call = await desk.open()
  const at = `/v1/calls/${call}/search`
  const { client: app } = await org.serverToken('sandbox', { scopes: ['app'] })
  const found = done(await app.post(at, { base: 'prices', query: 'double room', k: 2 }))
  assert.equal(found.passages[0].text, 'A double room costs 120 euros.')
  assert.deepEqual(
    done(await app.post(at, { base: 'prices', query: 'double room', min_score: 1 })).passages,
    [],
  )
  refused(
    await app.post(at, { base: 'unnamed', query: 'x' }),
    403,
    'the settings of desk do not name the base unnamed: add it to `bases`, or use a key that opens knowledge',
  )
  const { client: both } = await org.serverToken('sandbox', { scopes: ['app', 'knowledge'] })
  assert.deepEqual(done(await both.post(at, { base: 'unnamed', query: 'x' })).passages, [])
  refused(await both.post(at, { base: 'gone', query: 'x' }), 404, 'there is no base gone')
  const told = (await entriesOf(deployment, call)).filter(({ type }) => type === 'knowledge.found')
  assert.deepEqual(
    told.map(({ data: { base, mode, query, late, error } }) => [base, mode, query, late, error]),
    [
      ['prices', 'app', 'double room', false, null],
      ['prices', 'app', 'double room', false, null],
      ['unnamed', 'app', 'x', false, null],
    ],
  )
})

test('an app’s search is refused outside its bounds, for calls of others and of agents that the key does not work on', async () => {
  const call = await desk.open()
  const at = `/v1/calls/${call}/search`
  const { client: app } = await org.serverToken('sandbox', { scopes: ['app'] })
  refused(await app.post(at, { base: 'prices', query: ' ' }), 400, '`query` has 1 to 1000 characters')
  refused(
    await app.post(at, { base: 'prices', query: 'x'.repeat(1_001) }),
    400,
    '`query` has 1 to 1000 characters',
  )
  refused(await app.post(at, { base: 'prices', query: 'x', k: 51 }), 400, '`k` is from 1 to 50')
  refused(await app.post(at, { base: 'prices', query: 'x', min_score: 2 }), 400, '`min_score` is from 0 to 1')
  const { client: calls } = await org.serverToken('sandbox', { scopes: ['calls'] })
  refused(
    await calls.post(at, { base: 'prices', query: 'x' }),
    403,
    'this key does not open app: it opens calls',
  )
  const stranger = await deployment.newOrg()
  const { client } = await stranger.serverToken('sandbox')
  refused(await client.post(at, { base: 'prices', query: 'x' }), 404, `there is no call ${call}`)
  const narrowed = await org.person('developer', { agents: ['bar'] })
  refused(await narrowed.client.post(at, { base: 'prices', query: 'x' }), 403, 'this key works on bar alone')
  done(await desk.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  refused(await app.post(at, { base: 'prices', query: 'x' }), 409, 'this call has ended')
})

test('a call in production is answered from the bases of production', async () => {
  const agent = await new SpokenAgent(deployment, org, 'front').route({ env: 'production' })
  await agent.holdingApp('production', { declares: { docs: bases } })
  const call = await agent.open()
  const { passages } = done(
    await agent.fleet.post(`/v1/calls/${call}/look-ups`, { base: 'prices', query: 'double room' }),
  )
  assert.equal(passages[0].text, 'A double room costs 200 euros.')
})

test('the modes and the deadline of a base are kept as they are sent (SD-15)', async () => {
  const agent = new TestAgent(admin)
  const sent = ['auto', 'always', 'tool', 'whole'].map((mode) => ({ base: mode, mode, deadline_ms: 20 }))
  assert.deepEqual((await agent.set(admin, { bases: sent })).yours.config.bases, sent)
  const set = (base: object) =>
    admin.put(`${agent.at}/settings`, { config: { bases: [{ base: 'a', ...base }] }, if_version: 1 })
  refused(
    await set({ mode: 'never' }),
    400,
    '`bases` has an item that has a mode that is auto, always, tool or whole',
  )
  refused(
    await set({ deadline_ms: 10 }),
    400,
    '`bases` has an item that has a deadline_ms that is a whole number from 20 to 2000',
  )
  const { config } = await agent.config(admin)
  assert.deepEqual(
    config.bases,
    sent.map((base) => ({ k: 5, min_score: 0, ...base })),
  )
})

test('what a worker says it found is taken only in its whole shape', async () => {
  const call = await desk.open()
  const sentence =
    'knowledge.found has base, mode, query, passages, best_score, ms, waited_ms, late and error'
  refused(
    await desk.append(call, [{ type: 'knowledge.found', data: { base: 'prices', passages: 'x' } }]),
    400,
    sentence,
  )
})
