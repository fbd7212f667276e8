import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { platformKey, startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake } = trial
const org = await deployment.newOrg()
const admin = (await org.person('admin')).client
const ana = await org.person('developer')
const token = await org.serverToken('sandbox')
const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
const newAgent = () => new TestAgent(token.client)
const atFake = { base_url: fake.url }

const bringKey = async (vendor: string) =>
  done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))
const takeKey = async (vendor: string) => done(await admin.delete(`/v1/provider-keys/${vendor}`))

test('a worker’s configuration has its eleven parts, null for what is not set, and no secret (S-048, S-065, S-080, S-170, S-464, SD-38)', async () => {
  const agent = newAgent()
  await agent.set(token.client, { greeting: { reply: '' } })
  const answer = await agent.config(fleet, 'eleven-parts')
  assert.deepEqual(answer, {
    agent: agent.slug,
    world: 'sandbox',
    call: 'eleven-parts',
    config_version: 1,
    lexicon_version: null,
    canary: false,
    fixed: [],
    config: { llm_timeout_s: 12, greeting: { reply: '', allow_interruptions: false } },
    lexicon: { said: [], heard: [] },
    stages: {
      llm: {
        vendor: 'alpha',
        model: 'alpha-model',
        builds: null,
        options: atFake,
        key: 'lent',
        temperature: null,
      },
      stt: {
        vendor: 'alpha',
        model: 'alpha-ears',
        builds: null,
        options: atFake,
        key: 'lent',
        language: null,
        end_of_turn: 'stt',
      },
      tts: {
        vendor: 'alpha',
        model: 'alpha-voice',
        builds: null,
        options: atFake,
        key: 'lent',
        language: null,
        voice: null,
      },
    },
    judge: { vendor: 'beta', model: 'beta-model', builds: null, options: atFake, from: 'platform' },
  })
  assert.ok(!JSON.stringify(answer).includes(platformKey))
})

test('what is set is what the stages run (S-040, S-041, S-042, S-043, S-050, S-064, S-073, S-074, S-085, S-091, S-102, S-103)', async () => {
  const agent = newAgent()
  const knowledge = `# Hours\n${'Open from nine to five. '.repeat(200)}`
  const config = {
    voice: 'nova',
    tts: 'beta',
    tts_model: 'beta-voice',
    stt: 'beta/beta-ears',
    llm: 'beta/beta-large',
    temperature: 0.2,
    end_of_turn: 'framework',
    language: 'pt-BR',
    turn: { min_interruption_ms: 200 },
    knowledge,
  }
  await agent.set(ana.client, config)
  const lexicon = { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Wout'] }
  done(await ana.client.put(`${agent.at}/lexicon`, { lexicon, if_version: 0 }))
  const answer = await agent.config(ana.client)
  assert.deepEqual(answer.config, { ...config, llm_timeout_s: 12 })
  assert.deepEqual([answer.lexicon, answer.lexicon_version], [lexicon, 1])
  const { llm, stt, tts } = answer.stages
  assert.deepEqual([llm.vendor, llm.model, llm.temperature, llm.key], ['beta', 'beta-large', 0.2, 'lent'])
  assert.deepEqual([stt.vendor, stt.model, stt.language], ['beta', 'beta-ears', 'pt-BR'])
  assert.equal(stt.end_of_turn, 'framework')
  assert.deepEqual([tts.vendor, tts.model, tts.language, tts.voice], ['beta', 'beta-voice', 'pt-BR', 'nova'])
  await agent.set(ana.client, { turn: {} }, 1)
  const { stages, config: run } = await agent.config(ana.client)
  assert.deepEqual([stages.stt.end_of_turn, run.turn], ['stt', {}])
})

test('a model’s three forms: vendor and model, a vendor alone, a model alone on the vendor in use (S-044, S-045, S-046, ST-012, ST-015, SD-17)', async () => {
  const agent = newAgent()
  const llm = async (word: string, version: number) => {
    await agent.set(ana.client, { llm: word }, version)
    const { vendor, model } = (await agent.stages(ana.client)).llm
    return `${vendor}/${model}`
  }
  assert.equal(await llm('beta/beta-large', 0), 'beta/beta-large')
  assert.equal(await llm('beta', 1), 'beta/beta-model')
  assert.equal(await llm('alpha-large', 2), 'alpha/alpha-large')
  await agent.set(token.client, { llm: 'beta/beta-model' })
  assert.equal(await llm('beta-large', 3), 'beta/beta-large')
})

test('an unset end of turn follows the ears in effect (S-052, ST-039)', async () => {
  const agent = newAgent()
  await agent.set(ana.client, { stt: 'alpha' })
  assert.equal((await agent.stages(ana.client)).stt.end_of_turn, 'stt')
  await agent.set(ana.client, { stt: 'beta' }, 1)
  assert.equal((await agent.stages(ana.client)).stt.end_of_turn, 'framework')
})

test('options and builds run while the org has its key, and again when it is back; the row keeps them (S-056, S-089, S-090, SD-28, ST-037, ST-038)', async () => {
  const agent = newAgent()
  await bringKey('alpha')
  await agent.set(token.client, { llm_options: { seed: 2, top_p: 0.5 }, llm_builds: 'extra.LLM' })
  const pinned = async () => {
    const { llm } = await agent.stages(fleet)
    const { fallbacks, key } = done(await agent.keys(fleet)).stages.llm
    return { ...llm, fallbacks, handed: key }
  }
  const own = {
    vendor: 'alpha',
    model: 'alpha-model',
    builds: 'extra.LLM',
    options: { ...atFake, seed: 2, top_p: 0.5 },
    key: 'yours',
    temperature: null,
    fallbacks: [],
    handed: 'yours',
  }
  assert.deepEqual(await pinned(), own)
  await takeKey('alpha')
  assert.deepEqual(await pinned(), { ...own, builds: null, options: atFake, key: 'lent', handed: 'lent' })
  const { team } = (await ana.client.get(`${agent.at}/settings`)).body
  assert.deepEqual(team.config, { llm_options: { seed: 2, top_p: 0.5 }, llm_builds: 'extra.LLM' })
  await bringKey('alpha')
  assert.deepEqual(await pinned(), own)
  await takeKey('alpha')
})

test('a realtime model leaves no ears and no voice to run (S-381, SD-60)', async () => {
  const agent = newAgent()
  await agent.set(token.client, { llm: 'alpha/live-1', stt: 'beta', voice: 'nova' })
  const { stages, config } = await agent.config(fleet)
  assert.deepEqual([stages.llm.model, stages.stt, stages.tts], ['live-1', null, null])
  assert.deepEqual([config.stt, config.voice], ['beta', 'nova'])
  const handed = done(await agent.keys(fleet)).stages
  assert.deepEqual([handed.llm.model, handed.stt, handed.tts], ['live-1', null, null])
})

test('the class wins over what is set, and its half over the lexicon (S-094, S-104, SD-44)', async () => {
  const agent = newAgent()
  await agent.set(token.client, { language: 'en', llm: 'beta', temperature: 1, bases: [{ base: 'faq' }] })
  const lexicon = { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Wout'] }
  done(await token.client.put(`${agent.at}/lexicon`, { lexicon, if_version: 0 }))
  const app = await AppClient.connect(deployment.url, token.key)
  await app.register(agent.slug, {
    declares: { language: 'es', llm: 'alpha', docs: [{ base: 'own' }], hears: ['Ximena'] },
  })
  const held = await agent.config(fleet, `held-${agent.slug}`)
  assert.deepEqual(held.fixed, ['language', 'llm', 'docs'])
  assert.deepEqual([held.config.language, held.config.temperature], ['es', undefined])
  assert.equal(held.config.bases[0].base, 'own')
  assert.deepEqual([held.stages.llm.vendor, held.stages.llm.temperature], ['alpha', null])
  assert.deepEqual(held.lexicon, { said: lexicon.said, heard: ['Ximena'] })
  assert.equal(held.config_version, 1)
  await app.close()
  const free = await until('the app is disconnected', async () => {
    const config = await agent.config(fleet, `held-${agent.slug}`)
    return config.fixed.length === 0 && config
  })
  assert.deepEqual([free.config.language, free.lexicon], ['en', lexicon])
})

test('in the sandbox a person’s own app holds their calls and no other person’s; production is held apart (SD-10, SD-44, S-094)', async () => {
  const agent = newAgent()
  const orgs = await AppClient.connect(deployment.url, token.key)
  await orgs.register(agent.slug, { declares: { language: 'en' } })
  const own = await AppClient.connect(deployment.url, ana.key)
  await own.register(agent.slug, { declares: { language: 'es' } })
  const languageFor = async (client: typeof fleet) => (await agent.config(client)).config.language
  assert.equal(await languageFor(ana.client), 'es')
  assert.equal(await languageFor(admin), 'en')
  assert.equal(await languageFor(fleet), 'en')
  assert.equal(await languageFor(fleet.in('production')), undefined)
  await own.close()
  await until('her app is disconnected', async () => (await languageFor(ana.client)) === 'en')
  await orgs.close()
})

test('the judge: the agent’s over the org’s over the platform’s, and the default model at last (S-057, S-058, S-059, S-060, S-174, SD-40)', async () => {
  const other = await deployment.newOrg()
  const { client } = await other.serverToken('sandbox')
  const agent = new TestAgent(client)
  const judge = async () => {
    const { vendor, model, from } = (await agent.config(client)).judge
    return `${from} ${vendor}/${model}`
  }
  assert.equal(await judge(), 'platform beta/beta-model')
  done(await client.put('/v1/org/judging', { judge: 'alpha' }))
  assert.equal(await judge(), 'org alpha/alpha-model')
  await agent.set(client, { judge: 'beta/beta-large' })
  assert.equal(await judge(), 'agent beta/beta-large')
  await agent.set(client, { judge: 'alpha-large' }, 1)
  assert.equal(await judge(), 'agent alpha/alpha-large')
  const key = (await other.serverToken('sandbox')).key
  const app = await AppClient.connect(deployment.url, key)
  await app.register(agent.slug, { declares: { judge: 'beta' } })
  assert.equal(await judge(), 'class beta/beta-model')
  await app.close()
  done(await client.put('/v1/org/judging', { judge: null }))
  await agent.set(client, {}, 2)
  assert.equal(await judge(), 'platform beta/beta-model')
  await changeRow(deployment, (row) => (row.judge = null))
  assert.equal(await judge(), 'platform alpha/alpha-model')
  await changeRow(deployment, (row) => (row.judge = 'beta/beta-model'))
})

test('settings stored before a check existed are still returned, and a call still runs on them (S-190, S-213)', async () => {
  const agent = newAgent()
  await agent.keepUnjudged(deployment, {
    stt: 'beta',
    end_of_turn: 'stt',
    turn: { eot_threshold: 0.95, eager_eot_threshold: 0.1 },
  })
  const { config, stages, config_version } = await agent.config(fleet, `old-${agent.slug}`)
  assert.equal(config_version, 2)
  assert.deepEqual(config.turn, { eot_threshold: 0.95, eager_eot_threshold: 0.1 })
  assert.deepEqual([stages.stt.vendor, stages.stt.end_of_turn], ['beta', 'framework'])
  assert.equal((await agent.keys(fleet, `old-${agent.slug}`)).status, 200)
})

test('a request for settings that name an uninstalled vendor is refused in a sentence (SD-17)', async () => {
  const agent = newAgent()
  await agent.keepUnjudged(deployment, { llm: 'gone/m' })
  refused(await fleet.get(`${agent.at}/config`), 400, 'this build has no plugin for gone')
})

test('whose key a stage would run on is said by its name (SD-38, SD-48)', async () => {
  const agent = newAgent()
  await bringKey('gamma')
  await agent.set(token.client, { llm: 'gamma' })
  assert.equal((await agent.stages(fleet)).llm.key, 'yours')
  await takeKey('gamma')
  assert.equal((await agent.stages(fleet)).llm.key, 'none')
  await changeRow(deployment, (row) => (row.withheld = { alpha: [org.slug], beta: [org.id] }))
  const { stt, tts } = await agent.stages(fleet)
  assert.deepEqual([stt.key, tts.key], ['none', 'none'])
  await changeRow(deployment, (row) => (row.withheld = {}))
})
