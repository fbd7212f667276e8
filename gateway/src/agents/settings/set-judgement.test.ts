import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import type { TestOrg } from '../../../testing/deployment.ts'
import { platformKey, startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { until } from '../../../testing/until.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial
const org = await deployment.newOrg()
const { client: developer } = await org.person('developer')

let agents = 0
/** An agent without settings, and a way to set it as any caller. */
function newAgent() {
  agents += 1
  const settings = `/v1/agents/agent-${agents}/settings`
  return {
    settings,
    set: (client: Client, config: object, ifVersion = 0, more: object = {}) =>
      client.put(settings, { config, if_version: ifVersion, ...more }),
  }
}

beforeEach(() => {
  fake.mode = 'answer'
  asked()
})

const ownKey = async (owner: TestOrg, vendor: string, key = 'own-mark-0123456789') => {
  const { client } = await owner.person('admin')
  assert.equal((await client.put(`/v1/provider-keys/${vendor}`, { key })).status, 200)
}

test('each changed stage is tried once, in its order, on the key a call would use (S-191, S-192, S-193, S-194, S-195, ST-025, SD-26)', async () => {
  const { set } = newAgent()
  assert.equal(
    (await set(developer, { voice: 'v', llm: 'beta', stt: 'beta', language: 'es-MX' })).status,
    200,
  )
  const seen = fake.seen.map(({ headers, body }): Record<string, unknown> => {
    const told = JSON.parse(body.toString()) as Record<string, unknown>
    return { ...told, key: headers.authorization }
  })
  assert.deepEqual(asked(), ['tts', 'llm', 'stt'])
  for (const told of seen) assert.equal(told['key'], `Bearer ${platformKey}`)
  assert.equal(seen[0]?.['text'], 'Una frase.')
  assert.deepEqual(seen[1]?.['messages'], [{ role: 'user', text: 'Answer with one word.' }])
  assert.deepEqual([seen[2]?.['bytes'], seen[2]?.['loudest'], seen[2]?.['sampleRate']], [16_000, 0, 16_000])
  const other = await deployment.newOrg()
  await ownKey(other, 'beta')
  const { client } = await other.person('developer')
  assert.equal((await set(client, { llm: 'beta' })).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, 'Bearer own-mark-0123456789')
})

test('a save that changes no stage sends no vendor a request, even when every vendor hangs (S-199, ST-022, ST-024, SD-25)', async () => {
  const { set } = newAgent()
  await set(developer, { llm: 'beta/beta-model' }, 0, { team: true })
  asked()
  fake.mode = 'hang'
  const same = { llm: 'beta/beta-model' }
  for (const [version, config] of [
    same,
    { ...same, greeting: { say: 'Hi' } },
    { ...same, temperature: 0.3, language: 'es', turn: {}, judge: 'alpha' },
    { stt: 'alpha', tts: 'alpha' },
  ].entries())
    assert.equal((await set(developer, config, version)).status, 200)
  assert.deepEqual(asked(), [])
})

test('leaving a knob out is a change when another vendor then runs (ST-023, SD-25)', async () => {
  const { set } = newAgent()
  await set(developer, { llm: 'beta' }, 0, { team: true })
  await set(developer, { llm: 'alpha' })
  asked()
  assert.equal((await set(developer, {}, 1)).status, 200)
  assert.deepEqual(asked(), ['llm'])
})

test('a refusal is 400 in the words of the vendor and a silence 502, and nothing is kept (S-197, S-198, S-421, S-435, ST-017, ST-021, ST-028)', async () => {
  const { settings, set } = newAgent()
  fake.mode = 'refuse'
  fake.words = `no such voice for ${platformKey}`
  refused(await set(developer, { voice: 'x' }, 7), 400, 'alpha refused: no such voice for ***')
  for (const mode of ['hang', 'fault', 'break'] as const) {
    fake.mode = mode
    refused(await set(developer, { voice: 'x' }, 7), 502, 'alpha did not answer: nothing was kept, try again')
  }
  assert.equal((await developer.get(settings)).body.yours, null)
})

test('a trial holds no connection of the pool while a vendor thinks', async () => {
  fake.mode = 'hang'
  const { pool } = deployment.gateway.services.database
  const slow = newAgent().set(developer, { voice: 'x' })
  const isAsked = () => fake.open === 1
  await until('the vendor is asked', isAsked)
  // others of the gateway come and go
  await until('no database connection is in use', () => isAsked() && pool.totalCount === pool.idleCount)
  assert.equal((await slow).status, 502)
})

test('ears that take only a whole utterance are not tried (S-196, ST-027)', async () => {
  const other = await deployment.newOrg()
  await ownKey(other, 'alpha')
  const { client } = await other.person('developer')
  const { set } = newAgent()
  assert.equal((await set(client, { stt_builds: 'Whole' })).status, 200)
  assert.deepEqual(asked(), [])
})

test('options and builds run on the org’s own key alone; the refusal comes before anything is tried (S-087, S-088, S-208, S-209, S-433, ST-019, ST-036)', async () => {
  const { settings, set } = newAgent()
  fake.mode = 'hang'
  for (const [config, stage] of [
    [{ voice: 'hang', llm_options: { top_p: 0.5 } }, 'llm'],
    [{ stt_builds: 'STT' }, 'stt'],
    [{ tts_options: { pitch: 1 } }, 'tts'],
    [{ judge_options: { seed: 1 } }, 'judge'],
    [{ temperature: 0.3, llm_builds: 'LLM' }, 'llm'],
  ] as const)
    refused(
      await set(developer, config),
      409,
      `${stage} options and builds run on the org's own key, and this agent's ${stage} would run on the platform's`,
    )
  assert.deepEqual(asked(), [])
  assert.equal((await set(developer, { temperature: 0.3, llm_options: {} })).status, 200)
  const other = await deployment.newOrg()
  await ownKey(other, 'alpha')
  const { client } = await other.person('developer')
  fake.mode = 'answer'
  assert.equal((await set(client, { llm_options: { top_p: 0.5 }, llm_builds: 'extra.LLM' })).status, 200)
  const { built, keywords } = JSON.parse(fake.seen.at(-1)?.body.toString() ?? '{}')
  assert.deepEqual([built, keywords.top_p, keywords.base_url], ['extra.LLM', 0.5, fake.url])
  assert.equal((await developer.get(settings)).body.yours.version, 1)
})

test('option names are those of the class: no secret, no address, no knob (S-053, S-054, S-055, SD-19, ST-035, ST-073)', async () => {
  const other = await deployment.newOrg()
  for (const vendor of ['alpha', 'beta']) await ownKey(other, vendor)
  const { client } = await other.person('developer')
  const { settings, set } = newAgent()
  const table: [object, string][] = [
    [{ llm_options: { nosuch: 1 } }, 'LLM of alpha takes no nosuch'],
    [{ llm_builds: 'extra.LLM', llm_options: { nosuch: 1 } }, 'extra.LLM of alpha takes no nosuch'],
    [
      { llm_options: { api_key: 'sk-mark' } },
      "`llm_options`: api_key is a secret, and people read settings: bring it as the org's key for alpha",
    ],
    [{ llm_options: { base_url: 'https://x.example' } }, "`llm_options`: base_url is the operator's to set"],
    [{ llm_options: { temperature: 1 } }, '`llm_options`: temperature is set by the knob `temperature`'],
    [{ tts_options: { model: 'x' } }, '`tts_options`: model is set by the knob `tts_model`'],
    [{ llm_builds: 'Nosuch' }, '`llm_builds`: alpha has no class Nosuch'],
    [{ llm_builds: '9' }, "`llm_builds` is the name of one of the plugin's classes"],
    [
      { judge_options: { base_url: 'ftp://x' } },
      '`judge_options`: base_url is an http or https address without a user',
    ],
  ]
  for (const [config, sentence] of table) refused(await set(client, config), 400, sentence)
  assert.equal((await set(client, { judge_options: { base_url: 'http://127.0.0.1:9/v1' } })).status, 200)
  assert.ok(!(await client.get(settings)).text.includes('sk-mark'))
})

test('a vendor that the platform does not lend is refused by the knob that names it, for a stage and for the judge (S-180, S-185, S-186, SD-22, ST-030, ST-078)', async () => {
  const { set } = newAgent()
  const sentence = (knob: string, vendor = 'gamma') =>
    `\`${knob}\`: the platform lends this org no ${vendor}, and the org brought no key for it`
  refused(await set(developer, { llm: 'gamma/gamma-model' }), 400, sentence('llm'))
  refused(await set(developer, { stt: 'gamma' }), 400, sentence('stt'))
  refused(await set(developer, { tts: 'gamma' }), 400, sentence('tts'))
  refused(await set(developer, { judge: 'gamma' }), 400, sentence('judge'))
  refused(await set(developer, { llm: 'unpriced' }), 400, sentence('llm', 'alpha'))
  const other = await deployment.newOrg()
  await ownKey(other, 'gamma')
  const { client } = await other.person('developer')
  assert.equal((await set(client, { llm: 'gamma/anything', judge: 'gamma' })).status, 200)
  assert.deepEqual(asked(), ['llm'])
})

test('only stages that the set names are judged: words pass if no vendor has a key (ST-029, SD-22)', async () => {
  await using bare = await startTrialDeployment({
    SVC_PROVIDER_KEY_ALPHA: '',
    SVC_PROVIDER_KEY_BETA: '',
    SVC_PROVIDER_KEY_GAMMA: '',
  })
  const { client } = await (await bare.deployment.newOrg()).person('developer')
  const put = (config: object) => client.put(newAgent().settings, { config, if_version: 0 })
  refused(
    await put({ voice: 'x' }),
    400,
    '`voice`: the platform lends this org no alpha, and the org brought no key for it',
  )
  assert.equal((await put({ greeting: { say: 'Hi' } })).status, 200)
})

test('the checks come in their order: build, bands, options, trial, version (S-175, S-176, S-178, SD-21, ST-016, ST-017)', async () => {
  const { set } = newAgent()
  fake.mode = 'refuse'
  fake.words = 'no'
  refused(await set(developer, { voice: '' }, 9), 400, '`voice` is blank')
  refused(
    await set(developer, { turn: { eot_threshold: 2 } }, 9),
    400,
    'eot_threshold 2 is outside 0.5 to 0.9',
  )
  refused(
    await set(developer, { turn: { eot_threshold: 2 }, llm: 'gamma' }, 9),
    400,
    /^`llm`: the platform lends/,
  )
  refused(await set(developer, { turn: { eot_threshold: 2 }, llm_builds: 'LLM' }, 9), 400, /^eot_threshold/)
  refused(await set(developer, { voice: 'x', llm_builds: 'LLM' }, 9), 409, /^llm options and builds/)
  refused(await set(developer, { voice: 'x' }, 9), 400, 'alpha refused: no')
  refused(await set(developer, { record: true }, 9), 409, 'this corner is at v0 now')
  refused(await set(developer, { tts: 'nosuch', voice: '' }, 9), 400, '`voice` is blank')
})
