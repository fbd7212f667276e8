import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { url, operator, sql } = deployment
const org = await deployment.newOrg()
const developer = await org.person('developer', { production: true })
const ci = await org.serverToken('sandbox')

let agents = 0
const newAgent = () => `agent-${(agents += 1)}`
const fixedOf = async (client: Client, agent: string) =>
  (await client.get(`/v1/agents/${agent}/settings`)).body.fixed
const entryOf = async (client: Client, agent: string) =>
  (await client.get('/v1/agents')).body.agents.find((entry: { agent: string }) => entry.agent === agent)

test('an app registers a class with tools, state and endpoints, and holds the agent (S-092, S-093, S-096, SD-44, ND-87)', async () => {
  const app = await AppClient.connect(url, developer.key)
  const agent = newAgent()
  const answer = await app.register(agent, {
    app: ' front desk ',
    declares: { record: true, voice: 'nova', hears: ['Oslo'], says: [{ word: 'SQL', spoken: 'sequel' }] },
    tools: [{ name: 'book', description: 'Books a table', parameters: { type: 'object' } }],
    state: { tables: 4 },
    endpoints: ['/menu'],
    preparing: { timeoutMs: 10_000 },
    analysis: { send_audio_metrics: true },
  })
  assert.deepEqual(answer, {
    type: 'agent.registered',
    agent,
    env: 'sandbox',
    fixed: ['voice', 'record'],
    lexicon_fixed: ['says', 'hears'],
  })
  assert.deepEqual(await fixedOf(developer.client, agent), ['voice', 'record'])
  const lexicon = (await developer.client.get(`/v1/agents/${agent}/lexicon`)).body
  assert.deepEqual(lexicon.fixed, ['says', 'hears'])
  const held = { agent, held: true, app: 'front desk', holder: developer.id, fixed: ['voice', 'record'] }
  assert.deepEqual(await entryOf(developer.client, agent), held)
  await app.close()
})

test('each of the twelve names can be declared and is listed as it was declared, in the order of the table (S-095, ST-050, SD-44)', async () => {
  const app = await AppClient.connect(url, developer.key)
  const declares = {
    record: false,
    memory: { remember: 'names' },
    docs: [{ base: 'menu', k: 3 }],
    knowledge: '# Menu',
    turn: { endpointing_ms: 0 },
    hangup: { when: 'they say goodbye' },
    greeting: { reply: '' },
    judge: 'local/demo',
    stt: { stt: 'local/ears', end_of_turn: 'framework' },
    llm: { llm: 'local/demo', temperature: 0.2, llm_options: { seed: 1 } },
    voice: { voice: 'nova', tts: 'local' },
    language: 'pt-BR',
  }
  const order = 'language voice llm stt judge greeting hangup turn knowledge docs memory record'.split(' ')
  const agent = newAgent()
  const answer = await app.register(agent, { declares })
  assert.deepEqual(answer.fixed, order, JSON.stringify(answer))
  assert.deepEqual(await fixedOf(developer.client, agent), order)
  const declaration = await deployment.gateway.services.connectedApps.declarationFor({
    org: org.id,
    agent,
    env: 'sandbox',
    holder: developer.id,
  })
  assert.deepEqual(declaration?.declared.docs, { bases: [{ base: 'menu', k: 3 }] })
  assert.deepEqual(declaration?.declared.voice, { voice: 'nova', tts: 'local' })
  assert.deepEqual(declaration?.declared.language, { language: 'pt-BR' })
  await app.close()
})

test('what a class declares is refused at a set for as long as it holds the agent (S-097, S-098, ST-047)', async () => {
  const app = await AppClient.connect(url, developer.key)
  const agent = newAgent()
  await app.register(agent, { app: 'desk', declares: { record: true, hears: ['Oslo'] } })
  const settings = () =>
    developer.client.put(`/v1/agents/${agent}/settings`, { config: { record: false }, if_version: 0 })
  const lexicon = () =>
    developer.client.put(`/v1/agents/${agent}/lexicon`, { lexicon: { heard: ['Rome'] }, if_version: 0 })
  refused(await settings(), 409, 'record set by the class of desk')
  refused(await lexicon(), 409, 'hears set by the class of desk')
  await app.close()
  await until('no app holds it', async () => !(await entryOf(developer.client, agent)).held)
  assert.deepEqual(await fixedOf(developer.client, agent), [])
  assert.equal((await settings()).status, 200)
  assert.equal((await lexicon()).status, 200)
})

test('a class that declares no setting fixes nothing, and an app without a name goes by the label of its key (S-099, SD-44)', async () => {
  const app = await AppClient.connect(url, ci.key)
  const agent = newAgent()
  const answer = await app.register(agent)
  assert.deepEqual([answer.fixed, answer.lexicon_fixed], [[], []])
  assert.deepEqual(await entryOf(ci.client, agent), { agent, held: true, app: 'ci', holder: '', fixed: [] })
  await app.close()
})

test('an agent is released at once by unregistering or closing, and unregistering an agent that is not held does nothing (SD-44, ND-87)', async () => {
  const app = await AppClient.connect(url, ci.key)
  const [kept, left] = [newAgent(), newAgent()]
  await app.register(kept, { declares: { record: true } })
  await app.register(left, { declares: { record: true } })
  app.send({ type: 'agent.unregister', agent: left })
  app.send({ type: 'agent.unregister', agent: 'never-held' })
  await app.ask({ type: 'nonsense' }) // frames are taken in order, and nothing else was answered
  assert.deepEqual([await fixedOf(ci.client, left), await fixedOf(ci.client, kept)], [[], ['record']])
  app.socket.terminate()
  await until('no app holds it', async () => !(await entryOf(ci.client, kept)).held)
  assert.deepEqual(await fixedOf(ci.client, kept), [])
  const { rowCount } = await sql('select from registrations where agent = any($1)', [[kept, left]])
  assert.equal(rowCount, 0)
})

test('the newest registration holds, and when it goes the next newest does (SD-44, ND-88)', async () => {
  const agent = newAgent()
  const [first, second] = [await AppClient.connect(url, ci.key), await AppClient.connect(url, ci.key)]
  const holding = async () => (await entryOf(ci.client, agent)).app
  await first.register(agent, { app: 'first', declares: { record: true } })
  await second.register(agent, { app: 'second' })
  assert.deepEqual([await holding(), await fixedOf(ci.client, agent)], ['second', []])
  await first.register(agent, { app: 'first again' })
  assert.equal(await holding(), 'first again')
  await first.close()
  await until('the other holds it', async () => (await holding()) === 'second')
  await second.close()
  await until('no app holds it', async () => (await holding()) === null)
})

test('a refused registration holds nothing and leaves an earlier one in place (SD-45)', async () => {
  const app = await AppClient.connect(url, ci.key)
  const agent = newAgent()
  await app.register(agent, { declares: { record: true } })
  assert.equal((await app.register(agent, { declares: { record: 'yes' } })).code, 'BAD_FRAME')
  assert.deepEqual(await fixedOf(ci.client, agent), ['record'])
  assert.equal((await app.register('never-named', { declares: { voice: '' } })).code, 'BAD_FRAME')
  assert.equal(await entryOf(ci.client, 'never-named'), undefined)
  await app.close()
})

test("in the sandbox a person's app holds that person's copy, and a person without a copy is served by the org's (SD-44)", async () => {
  const agent = newAgent()
  const other = await org.person('developer')
  const [orgs, own] = [await AppClient.connect(url, ci.key), await AppClient.connect(url, developer.key)]
  await own.register(agent, { app: 'mine' })
  assert.equal((await entryOf(other.client, agent)).held, false)
  assert.equal((await entryOf(ci.client, agent)).held, false)
  await orgs.register(agent, { app: 'everybody’s' })
  const seen = async (client: Client) => {
    const { app, holder } = await entryOf(client, agent)
    return [app, holder]
  }
  assert.deepEqual(await seen(developer.client), ['mine', developer.id])
  assert.deepEqual(await seen(other.client), ['everybody’s', ''])
  assert.deepEqual(await seen(ci.client), ['everybody’s', ''])
  await own.close()
  await until('the org’s app serves them', async () => (await seen(developer.client))[1] === '')
  await orgs.close()
})

test('a sandbox app fixes nothing in production, where all share one holder (ST-051, SD-44)', async () => {
  const agent = newAgent()
  const live = await org.serverToken('production')
  const sandbox = await AppClient.connect(url, developer.key)
  await sandbox.register(agent, { declares: { record: true } })
  assert.deepEqual(await fixedOf(developer.client.in('production'), agent), [])
  const production = await AppClient.connect(url, developer.key, 'production')
  const answer = await production.register(agent, { declares: { language: 'es' } })
  assert.equal(answer.env, 'production')
  assert.deepEqual(await fixedOf(live.client, agent), ['language'])
  assert.deepEqual(await fixedOf(developer.client, agent), ['record'])
  assert.equal((await entryOf(live.client, agent)).holder, '')
  await Promise.all([sandbox.close(), production.close()])
})

test('agents of two orgs with one slug are unrelated (SD-03)', async () => {
  const other = await deployment.newOrg()
  const stranger = await other.serverToken('sandbox')
  const app = await AppClient.connect(url, ci.key)
  await app.register('shared-slug', { declares: { record: true } })
  assert.deepEqual(await fixedOf(stranger.client, 'shared-slug'), [])
  assert.deepEqual((await stranger.client.get('/v1/agents')).body, { agents: [] })
  assert.deepEqual((await stranger.client.get('/v1/apps')).body, { apps: [] })
  await app.close()
})

test('an agent is there from its first registration, and one past the quota is refused (SD-03)', async () => {
  const small = await deployment.newOrg()
  const { quotas } = (await operator.get(`/v1/ops/orgs/${small.slug}`)).body
  await operator.put(`/v1/ops/orgs/${small.slug}/quotas`, { ...quotas, agents: 1 })
  const { key, client } = await small.serverToken('sandbox')
  const app = await AppClient.connect(url, key)
  assert.equal((await app.register('one')).type, 'agent.registered')
  assert.deepEqual(await app.register('two'), {
    type: 'error',
    agent: 'two',
    code: 'QUOTA_EXCEEDED',
    detail: `org ${small.slug} has used 1 of its 1 agents: credits.exhausted`,
  })
  assert.equal((await app.register('one')).type, 'agent.registered')
  await app.close()
  const gone = { agent: 'one', held: false, app: null, holder: '', fixed: [] }
  await until('the agent is released', async () => !(await entryOf(client, 'one')).held)
  assert.deepEqual((await client.get('/v1/agents')).body, { agents: [gone] })
})

test('the apps connected are listed with their agents, those that hold none too', async () => {
  const own = await deployment.newOrg()
  const [token, dev] = [await own.serverToken('sandbox'), await own.person('developer')]
  const qa = await own.person('qa')
  const list = async (client: Client) => (await client.get('/v1/apps')).body.apps
  const beforeS = Math.floor(deployment.clock.now().getTime() / 1000)
  const idle = await AppClient.connect(url, token.key)
  await until('it is listed', async () => (await list(qa.client)).length === 1)
  const busy = await AppClient.connect(url, dev.key)
  await busy.register('zoo', { app: 'old name' })
  await busy.register('bar', { app: 'desk' })
  const [first, second] = await list(qa.client)
  assert.deepEqual(Object.keys(second), ['id', 'app', 'env', 'agents', 'holder', 'key', 'connected_at'])
  assert.deepEqual([first.app, first.agents, first.holder, first.key], ['ci', [], '', 'ci'])
  assert.deepEqual([second.app, second.agents], ['desk', ['bar', 'zoo']])
  assert.deepEqual([second.holder, second.key, second.env], [dev.id, 'laptop', 'sandbox'])
  assert.ok(Number.isInteger(second.connected_at) && second.connected_at >= beforeS)
  assert.notEqual(first.id, second.id)
  assert.deepEqual(await list((await own.serverToken('production')).client), [])
  await Promise.all([idle.close(), busy.close()])
  await until('no app is listed', async () => (await list(qa.client)).length === 0)
})

test('lists that name no agent are not narrowed (I-316)', async () => {
  const own = await deployment.newOrg()
  const app = await AppClient.connect(url, (await own.serverToken('sandbox')).key)
  for (const agent of ['billing', 'sales']) await app.register(agent)
  const narrowed = await own.person('developer', { agents: ['sales'] })
  const { agents: listed } = (await narrowed.client.get('/v1/agents')).body
  assert.deepEqual(
    listed.map((entry: { agent: string }) => entry.agent),
    ['billing', 'sales'],
  )
  const { apps } = (await narrowed.client.get('/v1/apps')).body
  assert.deepEqual(apps[0].agents, ['billing', 'sales'])
  await app.close()
})

test('of twenty concurrent registrations one is the newest, all are listed, and each takes over in turn (SD-44, ND-88)', async () => {
  const own = await deployment.newOrg()
  const { key, client } = await own.serverToken('sandbox')
  const names = Array.from({ length: 20 }, (_, i) => `app ${i}`)
  const apps = await Promise.all(names.map(() => AppClient.connect(url, key)))
  const answers = await Promise.all(apps.map((app, i) => app.register('desk', { app: names[i] })))
  assert.ok(answers.every(({ type }) => type === 'agent.registered'))
  assert.equal((await client.get('/v1/apps')).body.apps.length, 20)
  const { rows } = await sql('select app from registrations where org = $1 order by ordinal desc', [own.id])
  const newestFirst: string[] = rows.map(({ app }) => app)
  assert.deepEqual(newestFirst.toSorted(), names.toSorted())
  for (const name of newestFirst) {
    await until(`${name} holds it`, async () => (await entryOf(client, 'desk')).app === name)
    await apps[names.indexOf(name)]?.close()
  }
  await until('no app holds it', async () => !(await entryOf(client, 'desk')).held)
})

test('a frame reaches the app that holds an agent when its socket is on this gateway (ND-88)', async () => {
  const { connectedApps, appSockets } = deployment.gateway.services
  const agent = newAgent()
  const app = await AppClient.connect(url, ci.key)
  const tools = [{ name: 'book', description: '', parameters: {} }]
  await app.register(agent, { tools, preparing: true })
  const scope = { org: org.id, agent, env: 'sandbox', holder: developer.id } as const
  const holder = await connectedApps.appFor(scope)
  assert.ok(holder)
  assert.deepEqual(holder.offer, { tools, preparing: true })
  assert.equal(appSockets.send(holder.socket, { type: 'call.started', agent }), true)
  assert.deepEqual(await app.next(), { type: 'call.started', agent })
  await app.close()
  await until('no app holds it', async () => (await connectedApps.appFor(scope)) === null)
  assert.equal(appSockets.send(holder.socket, { type: 'call.started', agent }), false)
})
