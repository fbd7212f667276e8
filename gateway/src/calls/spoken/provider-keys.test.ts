import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { minuteMs } from '../../foundation/clock.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, type Deployment } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { platformKey, startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const ownKey = 'own-mark-0123456789'
/** What the operator builds every vendor here with: a worker receives it beside the key. */
const options = { base_url: trial.fake.url }

/** An org with nothing brought, its worker and the platform's. */
async function newTenant() {
  const org = await deployment.newOrg()
  const admin = (await org.person('admin')).client
  const worker = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  const ci = (await org.serverToken('sandbox')).client
  return {
    org,
    worker,
    fleet: deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug }),
    agent: new TestAgent(ci),
    ci,
    admin,
    bring: async (vendor: string, key = ownKey) =>
      done(await admin.put(`/v1/provider-keys/${vendor}`, { key })),
    take: async (vendor: string) => done(await admin.delete(`/v1/provider-keys/${vendor}`)),
  }
}
const inOrder = ({ vendor, fallbacks }: { vendor: string; fallbacks: { vendor: string }[] }) => [
  vendor,
  ...fallbacks.map((fallback) => fallback.vendor),
]

test('the platform’s worker is handed the three stages with lent keys, fallbacks beside them (S-171, S-172, S-258, SD-39, ST-071)', async () => {
  const { agent, fleet } = await newTenant()
  const answer = done(await agent.keys(fleet, 'handed-1'))
  const credentials = { api_key: platformKey }
  assert.deepEqual(answer, {
    agent: agent.slug,
    call: 'handed-1',
    stages: {
      llm: {
        vendor: 'alpha',
        model: 'alpha-model',
        key: 'lent',
        credentials,
        fallbacks: [{ vendor: 'beta', model: 'beta-model', key: 'lent', credentials, options }],
      },
      stt: {
        vendor: 'alpha',
        model: 'alpha-ears',
        key: 'lent',
        credentials,
        fallbacks: [{ vendor: 'beta', model: 'beta-ears', key: 'lent', credentials, options }],
      },
      tts: {
        vendor: 'alpha',
        model: 'alpha-voice',
        key: 'lent',
        credentials,
        fallbacks: [{ vendor: 'beta', model: 'beta-voice', key: 'lent', credentials, options }],
      },
    },
  })
})

test('an org’s worker is handed the org’s own keys and none of the platform’s (S-258, S-259, S-260, S-373, S-427, SD-39, ST-071)', async () => {
  const { agent, worker, fleet, bring } = await newTenant()
  refused(await agent.keys(worker), 403, 'llm: the org brought no key for alpha')
  await bring('alpha')
  const alone = await agent.keys(worker)
  assert.ok(!alone.text.includes(platformKey))
  for (const stage of Object.values<never>(done(alone).stages)) {
    const { key, credentials, fallbacks } = stage
    assert.deepEqual([key, credentials, fallbacks], ['yours', { api_key: ownKey }, []])
  }
  const { llm } = done(await agent.keys(fleet)).stages
  assert.deepEqual([llm.key, llm.fallbacks[0].key], ['yours', 'lent'])
  await bring('beta', 'own-beta-0123456789')
  const both = done(await agent.keys(worker)).stages
  assert.deepEqual(both.stt.fallbacks, [
    {
      vendor: 'beta',
      model: 'beta-ears',
      key: 'yours',
      credentials: { api_key: 'own-beta-0123456789' },
      options,
    },
  ])
})

test('one stage without a key refuses the whole answer, by the stage and the vendor named (S-260, S-427, SD-39)', async () => {
  const { agent, worker, fleet, ci, bring, take } = await newTenant()
  await bring('alpha')
  await agent.set(ci, { tts: 'beta' })
  refused(await agent.keys(worker), 403, 'tts: the org brought no key for beta')
  assert.equal((await agent.keys(fleet)).status, 200)
  await bring('gamma')
  await agent.set(ci, { llm: 'gamma' }, 1)
  assert.equal((await agent.keys(worker)).status, 200)
  await take('gamma')
  refused(await agent.keys(worker), 403, 'llm: the org brought no key for gamma')
  refused(await agent.keys(fleet), 403, 'llm: the org brought no key for gamma')
})

test('no person is handed a key, whatever their key opens (ST-070, SD-39, S-365)', async () => {
  const { org, agent, admin, worker, fleet, bring } = await newTenant()
  await bring('alpha')
  const developer = (await org.person('developer')).client
  const sentence = "this door takes a worker's key: no person is handed a key of a vendor"
  for (const client of [admin, developer]) {
    refused(await agent.keys(client), 403, sentence)
    assert.equal((await client.get(`${agent.at}/config`)).status, 200)
  }
  const talker = (await org.serverToken('sandbox', { scopes: ['talk'] })).client
  const supervisor = (await org.person('supervisor')).client
  const opensTalk = 'this key does not open app: it opens talk'
  refused(await agent.keys(talker), 403, opensTalk)
  refused(await talker.get(`${agent.at}/config`), 403, opensTalk)
  assert.equal((await supervisor.get(`${agent.at}/config`)).status, 403)
  for (const client of [worker, fleet]) {
    assert.equal((await agent.keys(client)).status, 200)
    assert.equal((await client.get(`${agent.at}/config`)).status, 200)
  }
})

test('keys are the current ones at each request, and versions those of the call (S-141, S-142, S-248, S-249, ST-065, ST-066)', async () => {
  const { agent, fleet, ci, bring, take } = await newTenant()
  await agent.set(ci, { llm: 'alpha' })
  const handed = async (call: string) => {
    const { key, vendor } = done(await agent.keys(fleet, call)).stages.llm
    return [vendor, key]
  }
  const call = `kept-${agent.slug}`
  assert.deepEqual(await handed(call), ['alpha', 'lent'])
  await agent.set(ci, { llm: 'beta' }, 1)
  await bring('alpha')
  assert.deepEqual(await handed(call), ['alpha', 'yours'])
  assert.deepEqual(await handed(`next-${agent.slug}`), ['beta', 'lent'])
  await take('alpha')
  assert.deepEqual(await handed(call), ['alpha', 'lent'])
  assert.equal((await agent.config(fleet, call)).config_version, 1)
})

/** As the log of each call would report it. */
function fail(on: Deployment, vendor: string, calls: readonly string[]) {
  for (const call of calls) on.gateway.services.vendorWindow.failed(vendor, call)
}

test('a vendor that half of at least five calls saw fail is handed behind the healthy, and then in its place again (S-143, S-144, S-145, S-146, S-399, S-400, SD-54, ST-087)', async () => {
  const { org, agent, fleet, ci, bring, worker } = await newTenant()
  deployment.clock.forward(2 * minuteMs) // what other tests handed is forgotten
  const calls = Array.from({ length: 5 }, (_, n) => `failing-${agent.slug}-${n}`)
  for (const call of calls) {
    assert.deepEqual(inOrder(done(await agent.keys(fleet, call)).stages.llm), ['alpha', 'beta'])
    await agent.keys(fleet, call) // asked again, and counted once
  }
  fail(deployment, 'alpha', calls.slice(0, 2))
  assert.deepEqual(inOrder(done(await agent.keys(fleet)).stages.llm), ['alpha', 'beta'])
  fail(deployment, 'alpha', calls.slice(2, 3))
  const { llm, stt, tts } = done(await agent.keys(fleet)).stages
  for (const stage of [llm, stt, tts]) assert.deepEqual(inOrder(stage), ['beta', 'alpha'])
  const told = await agent.stages(fleet)
  assert.deepEqual([told.llm.vendor, told.stt.vendor, told.tts.vendor], ['beta', 'beta', 'beta'])
  assert.equal(told.stt.end_of_turn, 'framework')

  const naming = new TestAgent(ci)
  await naming.set(ci, { llm: 'alpha' })
  const pinned = done(await naming.keys(fleet)).stages
  assert.deepEqual(inOrder(pinned.llm), ['alpha'])
  assert.deepEqual(inOrder(pinned.stt), ['beta', 'alpha'])
  await using restarted = await deployment.another()
  const elsewhere = restarted.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  assert.deepEqual(inOrder(done(await agent.keys(elsewhere)).stages.llm), ['alpha', 'beta'])

  await bring('alpha')
  assert.deepEqual(inOrder(done(await agent.keys(worker)).stages.llm), ['alpha'])

  deployment.clock.forward(2 * minuteMs)
  assert.deepEqual(inOrder(done(await agent.keys(fleet)).stages.llm), ['alpha', 'beta'])
})

test('only a default chain that is handed to a named call counts as handed (SD-54, ST-087)', async () => {
  const { agent, fleet, worker, ci } = await newTenant()
  const naming = new TestAgent(ci)
  await naming.set(ci, { llm: 'alpha', stt: 'alpha', tts: 'alpha' })
  const calls = Array.from({ length: 6 }, (_, n) => `uncounted-${agent.slug}-${n}`)
  for (const call of calls) {
    done(await agent.keys(fleet))
    done(await naming.keys(fleet, call))
    refused(await agent.keys(worker, `${call}-refused`), 403, 'llm: the org brought no key for alpha')
    await agent.config(fleet, `${call}-told`)
  }
  for (const suffix of ['', '-refused', '-told'])
    fail(
      deployment,
      'alpha',
      calls.map((call) => `${call}${suffix}`),
    )
  assert.deepEqual(inOrder(done(await agent.keys(fleet)).stages.llm), ['alpha', 'beta'])
})

test('a vendor that needs no key runs without one for everybody (SD-39, SD-80)', async () => {
  const { agent, fleet, worker } = await newTenant()
  await agent.keepUnjudged(deployment, { llm: 'local', stt: 'local', tts: 'local' })
  for (const client of [fleet, worker])
    for (const stage of Object.values<never>(done(await agent.keys(client)).stages)) {
      const { vendor, key, credentials, fallbacks } = stage
      assert.deepEqual([vendor, key, credentials, fallbacks], ['local', 'none', {}, []])
    }
  assert.equal((await agent.stages(worker)).llm.key, 'none')
})

test('on a lent key a model that the platform has no price for is not handed (SD-48)', async () => {
  const { agent, fleet, ci, bring, take } = await newTenant()
  await bring('alpha')
  await agent.set(ci, { llm: 'alpha/unpriced' })
  assert.equal(done(await agent.keys(fleet)).stages.llm.key, 'yours')
  await take('alpha')
  refused(await agent.keys(fleet), 403, 'llm: the org brought no key for alpha')
})

test('the fleet names its org by id, by slug or by a call it knows; the environment is the request’s or the call’s (S-365, SD-39)', async () => {
  const { org, agent, ci, fleet } = await newTenant()
  await agent.set(ci, { record: true })
  const bare = deployment.anonymous.as(fleetKey)
  const config = `${agent.at}/config`
  const sentence = 'name the org in the header svc-org, or a call that is known in for_call'
  refused(await bare.get(config), 400, sentence)
  refused(await bare.get(`${config}?for_call=nobody-knows-it`), 400, sentence)
  refused(await bare.with({ 'svc-org': 'nosuch' }).get(config), 404, 'there is no org nosuch')
  refused(
    await bare.with({ 'svc-org': org.id }).with({ 'svc-env': 'moon' }).get(config),
    400,
    'svc-env is sandbox or production',
  )
  assert.equal(done(await bare.with({ 'svc-org': org.id }).get(config)).config_version, 1)
  assert.equal(done(await fleet.in('production').get(config)).config_version, null)

  const call = await agent.open(ci)
  assert.equal(done(await bare.get(`${config}?for_call=${call}`)).config_version, 1)
  const live = `live-${agent.slug}`
  assert.equal(done(await fleet.in('production').get(`${config}?for_call=${live}`)).world, 'production')
  assert.equal(done(await bare.get(`${config}?for_call=${live}`)).world, 'production')
  assert.equal(done(await fleet.get(`${config}?for_call=${live}`)).world, 'production')
  refused(await bare.in('sandbox').get(`${config}?for_call=${live}`), 404, `there is no call ${live}`)
  const other = bare.with({ 'svc-org': (await newTenant()).org.slug })
  refused(await other.get(`${config}?for_call=${call}`), 404, `there is no call ${call}`)
  refused(await bare.get('/v1/whoami'), 401, 'this key opens nothing')
})

test('without a fleet’s key in its settings a deployment has no fleet (SD-39)', async () => {
  await using without = await deployment.another({ SVC_FLEET_KEY: '' })
  const { org, agent } = await newTenant()
  const client = without.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  refused(await client.get(`${agent.at}/config`), 401, 'this key opens nothing')
})

test('the row’s fallbacks are handed in its order, and one that no key runs is left out (S-172, SD-39)', async () => {
  const { agent, fleet } = await newTenant()
  await changeRow(
    deployment,
    (row) => (row.fallbacks.llm = ['gamma/gamma-model', 'beta/beta-large', 'beta/beta-model']),
  )
  const { llm } = done(await agent.keys(fleet)).stages
  assert.deepEqual(
    llm.fallbacks.map(({ model }: { model: string }) => model),
    ['beta-large', 'beta-model'],
  )
  await changeRow(deployment, (row) => (row.fallbacks.llm = ['beta/beta-model']))
})
