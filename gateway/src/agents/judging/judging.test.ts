import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake } = trial
const path = '/v1/org/judging'
const noChoice = { judge: null, judge_builds: null, judge_options: null }

beforeEach(() => {
  fake.mode = 'answer'
  trial.asked()
})

async function newTenant() {
  const org = await deployment.newOrg()
  const admin = (await org.person('admin')).client
  const developer = (await org.person('developer', { production: true })).client
  const bring = async (vendor: string) =>
    done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))
  return { org, developer, bring }
}

test('an org chooses its judge, for both environments, and clears the choice (S-174, SD-40)', async () => {
  const { developer } = await newTenant()
  assert.deepEqual(done(await developer.get(path)), noChoice)
  fake.mode = 'hang'
  const chosen = { judge: 'beta/beta-large', judge_builds: null, judge_options: null }
  assert.deepEqual(done(await developer.put(path, { judge: 'beta/beta-large' })), chosen)
  assert.deepEqual(trial.asked(), [], 'nothing is tried')
  assert.deepEqual(done(await developer.in('production').get(path)), chosen)
  assert.deepEqual(done(await developer.put(path, { ...chosen, judge: 'alpha' })).judge, 'alpha')
  assert.deepEqual(done(await developer.put(path, { ...chosen, judge: null })), noChoice)
  assert.deepEqual(done(await developer.get(path)), noChoice)
})

test('builds and options go with the choice on the org’s own key, and are cleared with it (SD-40, S-061)', async () => {
  const { developer, bring } = await newTenant()
  await bring('alpha')
  const whole = {
    judge: 'alpha/local-model',
    judge_builds: 'extra.LLM',
    judge_options: { seed: 1, base_url: 'http://127.0.0.1:11434/v1' },
  }
  assert.deepEqual(done(await developer.put(path, whole)), whole)
  assert.deepEqual(done(await developer.get(path)), whole)
  const alone = { judge: 'alpha', judge_builds: null, judge_options: null }
  assert.deepEqual(done(await developer.put(path, { judge: 'alpha' })), alone)
  assert.deepEqual(done(await developer.put(path, { ...whole, judge: null })), noChoice)
})

test('a choice is refused as the agent’s settings are, and then the previous one stays (SD-40)', async () => {
  const { developer, bring } = await newTenant()
  done(await developer.put(path, { judge: 'beta' }))
  const lent =
    "judge options and builds run on the org's own key, and this agent's judge would run on the platform's"
  const table: [object, number, string][] = [
    [{ judge: ' ' }, 400, '`judge` is blank'],
    [{ judge: 'x'.repeat(201) }, 400, '`judge` is at most 200 characters'],
    [{ judge: 'nosuch/m' }, 400, 'this build has no plugin for nosuch'],
    [
      { judge: 'gamma' },
      400,
      '`judge`: the platform lends this org no gamma, and the org brought no key for it',
    ],
    [
      { judge: 'alpha/unpriced' },
      400,
      '`judge`: the platform lends this org no alpha, and the org brought no key for it',
    ],
    [{ judge: 'alpha', judge_builds: 'nosuch' }, 400, '`judge_builds`: alpha has no class nosuch'],
    [{ judge: 'alpha', judge_options: { nosuch: 1 } }, 400, 'LLM of alpha takes no nosuch'],
    [{ judge: 'alpha', judge_options: { seed: 1 } }, 409, lent],
    [{ judge: 'alpha', judge_builds: 'extra.LLM' }, 409, lent],
    [{ judge: 5 }, 422, 'judge: must be a string or null'],
    [{}, 422, 'judge: is required'],
  ]
  for (const [choice, status, sentence] of table) refused(await developer.put(path, choice), status, sentence)
  assert.equal(done(await developer.get(path)).judge, 'beta')
  await bring('alpha')
  refused(
    await developer.put(path, { judge: 'alpha', judge_options: { base_url: 'ftp://models' } }),
    400,
    '`judge_options`: base_url is an http or https address without a user',
  )
  refused(
    await developer.put(path, { judge: 'alpha', judge_options: { api_key: 'secret' } }),
    400,
    "`judge_options`: api_key is a secret, and people read settings: bring it as the org's key for alpha",
  )
})

test('a model alone is the platform’s judge’s vendor’s, else the default model’s (SD-17, SD-40)', async () => {
  const { developer } = await newTenant()
  assert.equal(done(await developer.put(path, { judge: 'beta-large' })).judge, 'beta-large')
  const unlent = '`judge`: the platform lends this org no beta, and the org brought no key for it'
  refused(await developer.put(path, { judge: 'alpha-large' }), 400, unlent)
  await changeRow(deployment, (row) => (row.judge = null))
  assert.equal(done(await developer.put(path, { judge: 'alpha-large' })).judge, 'alpha-large')
  await changeRow(deployment, (row) => (row.judge = 'beta/beta-model'))
})

test('the org’s judge is written with pipeline and read with words too; a token that opens app does both (SD-40, SD-05)', async () => {
  const { org } = await newTenant()
  const supervisor = (await org.person('supervisor')).client
  assert.equal((await supervisor.get(path)).status, 200)
  refused(
    await supervisor.put(path, { judge: 'alpha' }),
    403,
    'this key does not open pipeline: it opens calls · talk · words · evals',
  )
  const qa = (await org.person('qa')).client
  refused(await qa.get(path), 403, 'this key does not open pipeline or words: it opens calls · evals')
  const ci = (await org.serverToken('production', { scopes: ['app'] })).client
  assert.equal(done(await ci.put(path, { judge: 'alpha' })).judge, 'alpha')
  const stranger = (await deployment.newOrg()).person('developer')
  assert.deepEqual(done(await (await stranger).client.get(path)), noChoice)
})

test('an agent’s model alone is read on the org’s judge’s vendor (SD-17)', async () => {
  const { developer } = await newTenant()
  done(await developer.put(path, { judge: 'alpha' }))
  const set = (judge: string, ifVersion: number) =>
    developer.put('/v1/agents/desk/settings', { config: { judge }, if_version: ifVersion })
  assert.equal((await set('alpha-large', 0)).status, 200)
  refused(
    await set('beta-large', 1),
    400,
    '`judge`: the platform lends this org no alpha, and the org brought no key for it',
  )
})
