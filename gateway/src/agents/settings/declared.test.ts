import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial

beforeEach(() => {
  fake.mode = 'answer'
  asked()
})

/** An org with keys of its own, so that whatever is well formed is kept unless a class is in its way. */
const org = await deployment.newOrg()
const ana = await org.person('developer', { production: true })
const bob = await org.person('developer')
const ci = await org.serverToken('sandbox')
const live = await org.serverToken('production')
const admin = (await org.person('admin')).client
for (const vendor of ['alpha', 'beta'])
  done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))

const newAgent = () => new TestAgent(ci.client)
const put = (agent: TestAgent, client: Client, config: object, more: object = {}) =>
  client.put(`${agent.at}/settings`, { config, if_version: 0, ...more })

async function appOf(key: string, env?: string) {
  const app = await AppClient.connect(deployment.url, key, env)
  after(() => app.close())
  return app
}

async function hold(app: AppClient, { slug }: TestAgent, declares: object) {
  const answer = await app.register(slug, { app: 'desk', declares })
  assert.equal(answer.type, 'agent.registered', JSON.stringify(answer))
}

async function letGo(app: AppClient, { slug }: TestAgent) {
  app.send({ type: 'agent.unregister', agent: slug })
  await app.ask({ type: 'nonsense' }) // frames are taken in order, and nothing else was answered
}

const versionsOf = async ({ slug }: TestAgent): Promise<number> => {
  const { rows } = await deployment.sql('select count(*)::int as kept from versions where agent = $1', [slug])
  return rows[0].kept
}

/** The app that holds an agent, the callers whose sets must match its class, and those whose need not. */
type Setter = [client: Client, more?: object]
const places: { app: AppClient; held: [Setter, ...Setter[]]; free: Setter[] }[] = [
  {
    app: await appOf(ana.key, 'production'),
    held: [[live.client], [ana.client.in('production')], [ana.client.in('production'), { team: true }]],
    free: [[ana.client], [ci.client]],
  },
  {
    app: await appOf(live.key),
    held: [[ana.client.in('production')], [live.client]],
    free: [[ana.client, { team: true }], [bob.client]],
  },
  {
    app: await appOf(ci.key),
    held: [[ana.client], [ana.client, { team: true }], [bob.client], [ci.client]],
    free: [[ana.client.in('production')]],
  },
  {
    app: await appOf(ana.key),
    held: [[ana.client], [ana.client, { team: true }]],
    free: [[bob.client], [ci.client], [live.client]],
  },
]

/** Each of these sets alone is refused wherever the class holds the agent, and kept anywhere else and afterwards. */
async function refusedWhereHeld(name: string, declared: unknown, sets: object[]) {
  for (const { app, held, free } of places)
    for (const config of sets) {
      const agent = newAgent()
      await hold(app, agent, { [name]: declared })
      for (const [client, more] of held)
        refused(await put(agent, client, config, more), 409, `${name} set by the class of desk`)
      assert.deepEqual([asked(), await versionsOf(agent)], [[], 0], JSON.stringify(config))
      for (const [client, more] of free) done(await put(agent, client, config, more))
      await letGo(app, agent)
      const [client, more] = held[0]
      done(await put(agent, client, config, more))
      assert.equal(await versionsOf(agent), free.length + 1)
      asked()
    }
}

test('a class that declares the voice fixes its vendor, its model, its class and its options (S-203, ST-049)', () =>
  refusedWhereHeld('voice', 'nova', [
    { voice: 'another' },
    { tts: 'beta' },
    { tts_model: 'alpha-voice' },
    { tts_builds: 'deep.Voice' },
    { tts_options: { pitch: 1 } },
  ]))

test('a class that declares the model fixes its temperature, its class and its options (S-204, ST-049)', () =>
  refusedWhereHeld('llm', 'alpha/alpha-model', [
    { llm: 'beta' },
    { temperature: 0.4 },
    { temperature: 0 },
    { llm_builds: 'extra.LLM' },
    { llm_options: { seed: 1 } },
  ]))

test('a class that declares the ears fixes their class, their options and what ends a turn (S-205, ST-049)', () =>
  refusedWhereHeld('stt', 'beta', [
    { stt: 'alpha' },
    { stt_builds: 'Whole' },
    { stt_options: { tier: 'best' } },
    { end_of_turn: 'smart-turn' },
    { end_of_turn: 'stt' },
  ]))

test('a class that declares the judge fixes its class and its options (S-206)', () =>
  refusedWhereHeld('judge', 'alpha', [
    { judge: 'beta' },
    { judge_builds: 'extra.LLM' },
    { judge_options: { seed: 1, base_url: 'http://127.0.0.1:11434/v1' } },
  ]))

test('a class that declares docs fixes the bases (S-207, ST-049)', () =>
  refusedWhereHeld('docs', [{ base: 'own' }], [{ bases: [{ base: 'faq' }] }, { bases: [] }]))

test('a change of what the class declares is refused in its name before anything is tried or kept (S-201, S-202, S-432, SD-21, SD-27, ST-018)', async () => {
  const { agent, client, app } = await tenantWithKeys() // the platform lends it all
  await hold(app, agent, { voice: 'nova' })
  const byClass = async (config: object, if_version = 0) =>
    refused(await put(agent, client, config, { if_version }), 409, 'voice set by the class of desk')
  for (const mode of ['answer', 'refuse', 'hang'] as const) {
    fake.mode = mode
    for (const voice of [{ voice: 'x' }, { tts: 'beta' }]) {
      await byClass(voice)
      await byClass({ ...voice, llm: 'beta', stt: 'beta' })
      await byClass(voice, 9)
    }
    assert.deepEqual([asked(), await versionsOf(agent)], [[], 0], mode)
  }
  fake.mode = 'answer'
  await byClass({ voice: 'x', llm_options: { top_p: 0.5 } })
  refused(await put(agent, client, { voice: ' ' }), 400, '`voice` is blank')
  const outOfBand = { voice: 'x', turn: { eot_threshold: 0.95 } }
  refused(await put(agent, client, outOfBand), 400, 'eot_threshold 0.95 is outside 0.5 to 0.9')

  await letGo(app, agent)
  done(await put(agent, client, { voice: 'x', llm: 'beta' }))
  assert.deepEqual([asked(), await versionsOf(agent)], [['tts', 'llm'], 1], 'now it is tried and kept')
})

test('the sentence names every declared name that the set would change, in the order of the table (SD-27)', async () => {
  const [agent, app] = [newAgent(), await appOf(ana.key)]
  await hold(app, agent, { record: true, docs: [{ base: 'own' }], llm: 'alpha', voice: 'nova', memory: {} })
  const config = { bases: [], tts: 'beta', temperature: 0.1, record: false, greeting: { say: 'Hi' } }
  const sentence = 'voice, llm, docs, record set by the class of desk'
  refused(await put(agent, ana.client, config), 409, sentence)
})

const beforeTheClass = {
  voice: 'v',
  tts: 'alpha',
  tts_options: { pitch: 1 },
  stt: 'alpha',
  stt_options: { tier: 'best' },
  llm: 'alpha',
  temperature: 1.5,
  end_of_turn: 'stt',
  llm_builds: 'extra.LLM',
  llm_options: { top_p: 0.5 },
  judge: 'alpha',
  judge_options: { seed: 1 },
  bases: [{ base: 'faq' }],
}
const otherwise = { voice: { tts: 'gamma' }, stt: 'gamma', llm: 'gamma', judge: 'gamma', docs: [] }

test('the current settings may be sent again under a class that runs something else, and may not be left out (SD-27, ST-048)', async () => {
  const { agent, client, app, bring, take } = await tenantWithKeys('alpha', 'gamma')
  await agent.set(client, beforeTheClass)
  await hold(app, agent, otherwise)
  asked()
  await agent.set(client, { ...beforeTheClass, greeting: { say: 'Hi' } }, 1)
  await take('gamma') // the class has no key to run on
  await agent.set(client, { ...beforeTheClass, greeting: { say: 'Hello' } }, 2)
  await bring('gamma')
  await take('alpha') // what was set has none
  const { yours } = await agent.set(client, beforeTheClass, 3)
  assert.deepEqual([yours.version, yours.config], [4, beforeTheClass])
  const everyName = 'voice, llm, stt, judge, docs set by the class of desk'
  refused(await put(agent, client, { greeting: { say: 'Hi' } }, { if_version: 4 }), 409, everyName)
  assert.deepEqual(asked(), [], 'a stage that the class declares never changes')
})

/** A developer of an org of its own with these keys, an agent and an app for it. */
async function tenantWithKeys(...vendors: string[]) {
  const owner = await deployment.newOrg()
  const manager = (await owner.person('manager')).client
  const { client, key } = await owner.person('developer')
  const bring = async (vendor: string) =>
    done(await manager.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))
  const take = async (vendor: string) => done(await manager.delete(`/v1/provider-keys/${vendor}`))
  for (const vendor of vendors) await bring(vendor)
  return { client, app: await appOf(key), agent: newAgent(), bring, take }
}

test('a caller is held to the class that serves them: their own copy’s, else the org’s (S-201, SD-44)', async () => {
  const agent = newAgent()
  const [own, orgs] = [await appOf(ana.key), await appOf(ci.key)]
  await own.register(agent.slug, { app: 'hers', declares: { voice: 'nova' } })
  await orgs.register(agent.slug, { app: 'ours', declares: { llm: 'alpha' } })
  const [voice, llm] = [{ voice: 'x' }, { llm: 'beta' }]
  for (const more of [{}, { team: true }]) {
    refused(await put(agent, ana.client, voice, more), 409, 'voice set by the class of hers')
    refused(await put(agent, bob.client, llm, more), 409, 'llm set by the class of ours')
  }
  refused(await put(agent, ci.client, llm), 409, 'llm set by the class of ours')
  assert.equal(await versionsOf(agent), 0)
  done(await put(agent, ana.client, llm))
  done(await put(agent, bob.client, voice))
  done(await put(agent, ci.client, voice))
  await letGo(own, agent)
  const refusal = await put(agent, ana.client, { llm: 'alpha' }, { if_version: 1 })
  refused(refusal, 409, 'llm set by the class of ours')
})

test('a words key is held to the class as well, and not to what its set carries over (S-201, SD-27, SD-29)', async () => {
  const supervisor = await org.person('supervisor')
  const [agent, app] = [newAgent(), await appOf(ci.key)]
  await agent.set(ci.client, { voice: 'v', memory: { remember: 'names' } })
  await hold(app, agent, { voice: 'nova', greeting: { say: 'Welcome' } })
  const set = (config: object) => put(agent, supervisor.client, config, { team: true, if_version: 1 })
  refused(await set({ greeting: { say: 'Hi' } }), 409, 'greeting set by the class of desk')
  const { team } = done(await set({ memory: { forget: 'cards' } }))
  assert.deepEqual([team.version, team.config], [2, { voice: 'v', memory: { forget: 'cards' } }])
})
