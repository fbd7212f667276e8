import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Environment } from '@switchroom/contract/scopes'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused, refusedWithCode, type Client } from '../../../testing/client.ts'
import { fleetKey, type TestOrg, type TestPerson } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { VoiceServer } from '../../../testing/providers/voice-server.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const secret = 'own-mark-0123456789'

const sandboxSentence =
  'this token opens no vendor key: who made it must hold providers, when they made it and now; ask an admin of the org, or the operator, for a new token'
const productionSentence =
  'this token opens no vendor key: who made it must hold providers and production access, when they made it and now; ask an admin of the org, or the operator, for a new token'

/** An org that brought a key for the vendor its agents run on. */
async function newTenant() {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  done(await admin.client.put('/v1/provider-keys/alpha', { key: secret }))
  return { org, admin, agent: new TestAgent((await org.serverToken('sandbox')).client) }
}

/** A server token as a person makes one for a worker. */
async function mint({ client }: TestPerson, env: Environment = 'sandbox') {
  const { key } = done(await client.post('/v1/keys', { label: 'worker', env, scopes: ['app'] }))
  return { key, worker: deployment.anonymous.as(key), dashboard: deployment.dashboard.as(key) }
}

const save = (dashboard: Client, apiKey: string) =>
  dashboard.put('/api/credentials', { provider: 'alpha', apiKey })
const fleetOf = ({ slug }: TestOrg) => deployment.anonymous.as(fleetKey).with({ 'svc-org': slug })
const keyIn = async (agent: TestAgent, client: Client) =>
  done(await agent.keys(client)).stages.llm.credentials.api_key as string

test('a developer’s token reads no vendor key and replaces none (S-258, SD-64)', async () => {
  const { org, admin, agent } = await newTenant()
  const developer = await org.person('developer', { production: false })
  const { worker, dashboard } = await mint(developer)
  const read = await agent.keys(worker)
  assert.ok(!read.text.includes(secret))
  refused(read, 403, sandboxSentence)
  refusedWithCode(await save(dashboard, 'of-the-attacker'), 403, 'FORBIDDEN', productionSentence)
  refusedWithCode(
    await save(deployment.dashboard.as(developer.key), 'of-the-attacker'),
    403,
    'FORBIDDEN',
    'A developer does not hold providers: ask an admin or a manager of the org to save the key',
  )
  assert.equal(await keyIn(agent, (await mint(admin)).worker), secret)
  assert.equal((await worker.get(`${agent.at}/config`)).status, 200)
})

test('a developer’s token runs an app, which needs no vendor key', async () => {
  const { org, agent } = await newTenant()
  const { key } = await mint(await org.person('developer'))
  const app = await AppClient.connect(deployment.url, key)
  assert.equal((await app.register(agent.slug)).type, 'agent.registered')
  await app.close()
})

test('a token that an admin made opens vendor keys until the admin is demoted or removed, from the next request (S-258, SD-64)', async () => {
  const { org, admin, agent } = await newTenant()
  const second = await org.person('admin')
  const { key, worker, dashboard } = await mint(second)
  await using other = await deployment.another()
  const elsewhere = other.anonymous.as(key)
  assert.equal(await keyIn(agent, worker), secret)
  assert.equal((await save(dashboard, secret)).status, 200)
  const member = `/v1/members/${second.id}`
  done(await admin.client.patch(member, { role: 'developer' }))
  for (const client of [worker, elsewhere]) refused(await agent.keys(client), 403, sandboxSentence)
  refusedWithCode(await save(dashboard, 'x'), 403, 'FORBIDDEN', productionSentence)
  done(await admin.client.patch(member, { role: 'admin' }))
  assert.equal(await keyIn(agent, elsewhere), secret)
  done(await admin.client.delete(member))
  for (const client of [worker, elsewhere]) refused(await agent.keys(client), 403, sandboxSentence)
  refusedWithCode(await save(dashboard, 'x'), 403, 'FORBIDDEN', productionSentence)
})

test('a token of a person who held no providers then opens no vendor key when they hold it later (S-258)', async () => {
  const { org, admin, agent } = await newTenant()
  const developer = await org.person('developer', { production: true })
  const before = await mint(developer, 'production')
  done(await admin.client.patch(`/v1/members/${developer.id}`, { role: 'admin' }))
  refused(await agent.keys(before.worker), 403, productionSentence)
  assert.equal(await keyIn(agent, (await mint(developer, 'production')).worker), secret)
})

test('a copy of a token opens the vendor keys that its source opens, and no longer than that (S-258)', async () => {
  const { org, admin, agent } = await newTenant()
  const second = await org.person('admin')
  const copyOf = async (key: string) => {
    const { code } = done(await deployment.anonymous.as(key).post('/v1/login/codes'))
    return deployment.anonymous.as(done(await deployment.anonymous.post('/v1/login', { code })).key)
  }
  const copy = await copyOf((await mint(second)).key)
  assert.equal(await keyIn(agent, copy), secret)
  const developers = await copyOf((await mint(await org.person('developer'))).key)
  refused(await agent.keys(developers), 403, sandboxSentence)
  done(await admin.client.patch(`/v1/members/${second.id}`, { status: 'disabled' }))
  refused(await agent.keys(copy), 403, sandboxSentence)
})

test('a token that the operator made opens what its scopes open, and one made on a visit as long as the visitor is operator (S-258, SD-64)', async () => {
  const { org, agent } = await newTenant()
  const app = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal(await keyIn(agent, app.client), secret)
  assert.equal((await save(deployment.dashboard.as(app.key), secret)).status, 200)
  const home = await deployment.newOrg()
  const olga = await home.person('admin', { operator: true })
  const visit = done(await olga.client.post('/v1/login/org', { org: org.slug }))
  const { worker } = await mint({ ...olga, client: deployment.anonymous.as(visit.key) })
  assert.equal(await keyIn(agent, worker), secret)
  await deployment.sql('update members set operator = false where id = $1', [olga.id])
  refused(await agent.keys(worker), 403, sandboxSentence)
})

test('a key brought for one environment wins there, and is never handed to a key of the other (S-248, S-258)', async () => {
  const { org, admin, agent } = await newTenant()
  const live = 'live-mark-0123456789'
  const put = (client: Client, env: string) => client.put('/v1/provider-keys/alpha', { key: live, env })
  assert.deepEqual(done(await put(admin.client, 'production')), { vendors: ['alpha'] })
  const sandbox = (await mint(admin)).worker
  const production = (await mint(admin, 'production')).worker
  const read = await agent.keys(sandbox)
  assert.ok(!read.text.includes(live))
  const seen = async () => [
    await keyIn(agent, sandbox),
    await keyIn(agent, fleetOf(org)),
    await keyIn(agent, production),
    await keyIn(agent, fleetOf(org).in('production')),
  ]
  assert.deepEqual(await seen(), [secret, secret, live, live])

  done(await admin.client.delete('/v1/provider-keys/alpha'))
  refused(await agent.keys(sandbox), 403, 'llm: the org brought no key for alpha')
  assert.equal(await keyIn(agent, production), live)
  const stages = async (client: Client) => (await agent.stages(client)).llm.key
  assert.deepEqual([await stages(sandbox), await stages(production)], ['lent', 'yours'])

  done(await admin.client.delete('/v1/provider-keys/alpha?env=production'))
  refused(await agent.keys(production), 403, 'llm: the org brought no key for alpha')
  refused(
    await admin.client.delete('/v1/provider-keys/alpha?env=production'),
    404,
    'this org brought no key for alpha in production',
  )
})

test('the list of keys is that of both environments, or with env of the named one alone (S-245, S-250)', async () => {
  const { org, admin } = await newTenant()
  const listed = async (query: string) => done(await admin.client.get(`/v1/provider-keys${query}`)).vendors
  done(await admin.client.put('/v1/provider-keys/beta', { key: secret, env: 'sandbox' }))
  assert.deepEqual(
    [await listed(''), await listed('?env=sandbox'), await listed('?env=production')],
    [['alpha'], ['beta'], []],
  )
  const availability = async (client: Client) => {
    const { providers } = done(await client.get('/v1/providers'))
    return providers.find(({ name }: { name: string }) => name === 'beta').availability
  }
  assert.equal(await availability(admin.client), 'yours')
  assert.equal(await availability(admin.client.in('production')), 'offered')

  const manager = (await org.person('manager', { production: false })).client
  const sentence = 'A manager has no production access: an admin gives it in Team'
  const body = { key: secret, env: 'production' }
  refused(await manager.put('/v1/provider-keys/beta', body), 403, sentence)
  refused(await manager.delete('/v1/provider-keys/beta?env=production'), 403, sentence)
  done(await manager.put('/v1/provider-keys/beta', { key: secret }))
  const wrong = 'env is sandbox or production'
  refused(await manager.put('/v1/provider-keys/beta', { key: secret, env: 'moon' }), 400, wrong)
  refused(await manager.get('/v1/provider-keys?env=moon'), 400, wrong)
  refused(await manager.delete('/v1/provider-keys/beta?env=moon'), 400, wrong)
})

test('a sealed key of one environment does not open as the other’s', async () => {
  const { org, admin } = await newTenant()
  done(await admin.client.put('/v1/provider-keys/alpha', { key: secret, env: 'production' }))
  await deployment.sql(`update environment_provider_keys set env = 'sandbox' where org = $1`, [org.id])
  const { providerKeys } = deployment.gateway.services
  await assert.rejects(providerKeys.credentialsOf({ org: org.id, env: 'sandbox' }, 'alpha'))
})

test('speech, samples and trials run on the key of the environment that asks', async () => {
  const { org, admin, agent } = await newTenant()
  const live = 'live-mark-0123456789'
  done(await admin.client.put('/v1/provider-keys/alpha', { key: live, env: 'production' }))
  const voiceServer = new VoiceServer(deployment)
  for (const [env, key] of [
    ['sandbox', secret],
    ['production', live],
  ] as const) {
    const token = await org.serverToken(env)
    const granted = await voiceServer.grant({
      doing: 'speech',
      key: token.key,
      voice: 'alpha/anna',
      characters: 1,
    })
    assert.equal(granted.credentials['api_key'], key)
    const entered = await voiceServer.enter('speech', token.key)
    const again = await voiceServer.grant({ ...entered, doing: 'speech', voice: 'alpha/anna', characters: 1 })
    assert.equal(again.credentials['api_key'], key)
    trial.fake.seen.splice(0)
    done(await admin.client.in(env).post('/v1/voices/sample', { tts: 'alpha', voice: 'anna' }))
    await agent.set(token.client, { llm: 'alpha/alpha-large' })
    const used = trial.fake.seen.splice(0).map(({ headers }) => headers['authorization'])
    assert.ok(used.length >= 2)
    assert.deepEqual(new Set(used), new Set([`Bearer ${key}`]))
  }
})
