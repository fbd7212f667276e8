import { knobs } from '@switchroom/contract/settings'
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import type { TestOrg } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { platformKey, startTrialDeployment } from '../../../testing/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial
const org = await deployment.newOrg()
const { client: developer, id: developerId } = await org.person('developer', { production: true })
const upwards = (a: number, b: number) => a - b
const path = '/v1/agents/desk/settings'

let agents = 0
/** An agent nobody has set, and a way to set it as somebody. */
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

test('a set makes a row of exactly six fields, and the answer is what GET answers (S-017, S-018, S-019, S-124, S-153, S-156, S-157, SD-13)', async () => {
  const { settings, set } = newAgent()
  const before = Math.floor(deployment.clock.now().getTime() / 1000)
  const answer = await set(developer, { greeting: { say: 'Hello' } }, 0, { note: 'first', team: false })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['world', 'yours', 'team', 'production', 'fixed'])
  const { yours } = answer.body
  assert.deepEqual(Object.keys(yours), ['holder', 'version', 'author', 'note', 'set_at', 'config'])
  assert.deepEqual([yours.version, yours.note, yours.holder], [1, 'first', developerId])
  assert.deepEqual(yours.config, { greeting: { say: 'Hello' } })
  assert.ok(Number.isInteger(yours.set_at) && yours.set_at >= before)
  assert.deepEqual((await developer.get(settings)).body, answer.body)
  const { body } = await set(developer, {}, 1, { note: '' })
  assert.equal(body.yours.note, null)
  refused(await set(developer, {}, 2, { note: 'x'.repeat(501) }), 400, 'a note is at most 500 characters')
})

test('reads of an agent nobody ever named are empty, and a malformed slug is 404 before the body is judged (SD-03, SD-04)', async () => {
  const { body } = await developer.get('/v1/agents/nobody-named-it/settings')
  assert.deepEqual(body, { world: 'sandbox', yours: null, team: null, production: null, fixed: [] })
  refused(await developer.get('/v1/agents/No%20Slug/settings'), 404, 'there is no agent No Slug')
  refused(
    await developer.put('/v1/agents/No%20Slug/settings', { config: 5 }),
    404,
    'there is no agent No Slug',
  )
})

test('in the sandbox each person has a scope of their own, and `team` is everybody’s (S-020, S-021, S-022, S-023, S-024, S-155, ST-003)', async () => {
  const { settings, set } = newAgent()
  const other = await org.person('developer')
  await set(developer, { voice: 'mine' })
  await set(other.client, { voice: 'theirs' })
  const mine = (await developer.get(settings)).body
  assert.deepEqual([mine.yours.config, mine.team, mine.production], [{ voice: 'mine' }, null, null])
  await set(other.client, { record: true }, 0, { team: true })
  const now = (await developer.get(settings)).body
  assert.deepEqual([now.yours.config, now.team.holder], [{ voice: 'mine' }, ''])
  assert.deepEqual(now.team.config, { record: true })
})

test('a key that names nobody writes the team’s scope whatever it says (S-026, S-368, ST-005)', async () => {
  const { set } = newAgent()
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  const { body } = await set(ci.client, { record: true }, 0, { team: false })
  assert.deepEqual([body.yours, body.team.version, body.team.holder], [null, 1, ''])
  assert.equal(body.team.author, 'ci')
})

test('production is one scope, written by requests that run there (S-006, S-027, S-028, S-029, S-030, S-031, S-154, S-369, ST-006, ST-007, ST-008)', async () => {
  const { settings, set } = newAgent()
  const { body } = await set(developer.in('production'), { record: true }, 0, { team: true })
  assert.deepEqual(
    [body.world, body.production.version, body.team, body.yours],
    ['production', 1, null, null],
  )
  const token = await org.serverToken('production', { scopes: ['app'] })
  assert.equal((await set(token.client, { record: false }, 1)).body.production.version, 2)
  const without = await org.person('developer', { production: false })
  const answer = await set(without.client.in('production'), {}, 2)
  refused(answer, 403, /has no production access/)
  assert.equal((await without.client.get(settings)).body.production.version, 2)
})

test('what stands is held against `if_version`, and a stale one changes nothing (S-127, S-200, S-431, S-477, SD-12, ST-021)', async () => {
  const { settings, set } = newAgent()
  refused(await set(developer, {}, 1), 409, 'this corner is at v0 now')
  await set(developer, { record: true })
  refused(await set(developer, {}, 0), 409, 'this corner is at v1 now')
  refused(await set(developer, {}, -3), 409, 'this corner is at v1 now')
  assert.equal((await set(developer, { voice: ' ' }, 1)).status, 400)
  assert.equal((await developer.get(settings)).body.yours.version, 1)
  assert.equal((await set(developer, {}, 1)).body.yours.version, 2)
  for (const if_version of [true, null, '1', 1.5])
    assert.equal((await developer.put(settings, { config: {}, if_version })).status, 422)
  assert.equal((await developer.put(settings, { config: {} })).status, 422)
})

test('of twenty sets at one version one is kept and nineteen are refused (SD-14, ST-020, S-471)', async () => {
  const { settings, set } = newAgent()
  await set(developer, { record: true })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => set(developer, { max_duration_s: n }, 1)),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(upwards), [
    200,
    ...Array.from({ length: 19 }, () => 409),
  ])
  for (const answer of answers.filter(({ status }) => status === 409))
    refused(answer, 409, 'this corner is at v2 now')
  assert.equal((await developer.get(settings)).body.yours.version, 2)
  const { rows } = await deployment.sql('select count(*) from versions where agent = $1', [
    settings.split('/')[3],
  ])
  assert.equal(rows[0].count, 2)
})

test('the row is what was sent: a knob left out is unset again, and no default is written in (S-037, SD-11, ST-004, ST-013)', async () => {
  const { set } = newAgent()
  await set(developer, { voice: 'a', record: true })
  const { body } = await set(
    developer,
    { greeting: { say: 'Hi' }, bases: [{ base: 'faq' }], record: true },
    1,
  )
  assert.deepEqual(body.yours.config, { greeting: { say: 'Hi' }, bases: [{ base: 'faq' }], record: true })
})

const everyKnob = {
  voice: 'v',
  tts: 'alpha',
  tts_model: 'alpha-voice',
  stt: 'alpha/alpha-ears',
  llm: 'alpha',
  temperature: 0.4,
  end_of_turn: 'stt',
  judge: 'beta-large',
  language: 'pt-BR',
  greeting: { reply: '', allow_interruptions: true },
  hangup: { when: 'the caller says goodbye' },
  turn: {
    min_interruption_words: 0,
    endpointing_ms: 0,
    min_interruption_ms: 200,
    eot_threshold: 0.5,
    eager_eot_threshold: 0.9,
  },
  memory: { remember: ['their name'], forget: 'cards' },
  record: false,
  max_duration_s: 0,
  llm_timeout_s: 0.5,
  knowledge: '# Hours',
  bases: [{ base: 'faq', mode: 'tool', k: 50, min_score: 0 }],
}

test('every knob is kept as sent (S-008, S-039, S-040, S-041, S-042, S-043, S-063, S-066, S-067, S-068, S-071, S-072, S-075, S-076, S-078, S-086, S-358, ST-034)', async () => {
  const { set } = newAgent()
  const { body, text } = await set(developer, everyKnob)
  assert.deepEqual(body.yours?.config, everyKnob, text)
})

test('a value outside the shape of its knob is refused by name, and nothing is kept (S-047, S-069, S-070, S-107, S-182, S-183, S-417, S-418, SD-15, SD-16, ST-033, ST-034)', async () => {
  const { settings, set } = newAgent()
  const table: [object, string][] = [
    [{ voice: 5 }, '`voice` is text'],
    [{ voice: '  ' }, '`voice` is blank'],
    [{ voice: null }, '`voice` is blank'],
    [{ tts: 'alpha/x' }, '`tts` names a vendor alone: its model goes into `tts_model`'],
    [{ temperature: 2.1 }, '`temperature` 2.1 is outside 0 to 2 of alpha'],
    [{ temperature: true }, '`temperature` is a number'],
    [{ end_of_turn: 'me' }, '`end_of_turn` is stt, framework or smart-turn'],
    [{ end_of_turn: 'stt', stt: 'beta' }, '`end_of_turn`: beta cannot end a turn'],
    [{ language: 'English' }, '`language` is a tag such as en or pt-BR'],
    [{ greeting: {} }, '`greeting` opens with say or with reply'],
    [{ greeting: { say: 'a', reply: '' } }, '`greeting` opens with say or with reply, not with both'],
    [{ greeting: { say: '' } }, '`greeting` has a say that is blank'],
    [
      { greeting: { reply: 'x', allow_interruptions: 'yes' } },
      '`greeting` has a allow_interruptions that is true or false',
    ],
    [{ hangup: { when: ' ' } }, '`hangup` has a when that is blank'],
    [{ turn: { endpointing_ms: -1 } }, '`turn` has a endpointing_ms that is a whole number from 0'],
    [{ turn: { pause: 1 } }, /^`turn` has no pause: it takes min_interruption_words/ as never],
    [{ memory: { remember: [''] } }, '`memory` has a remember that is blank'],
    [{ record: 1 }, '`record` is true or false'],
    [{ max_duration_s: 1.5 }, '`max_duration_s` is a whole number from 0'],
    [{ llm_timeout_s: 0 }, '`llm_timeout_s` is a number of seconds above 0'],
    [{ knowledge: '' }, '`knowledge` is blank'],
    [{ bases: [{ base: 'a' }, { base: 'a' }] }, '`bases` names a twice'],
    [
      { bases: [{ base: 'a', k: 51 }] },
      '`bases` has an item that has a k that is a whole number from 1 to 50',
    ],
    [{ nosuch: 1 }, `\`nosuch\` is no knob of an agent: they are ${knobs.join(', ')}`],
    [{ tts: 'nosuch' }, 'this build has no plugin for nosuch'],
    [{ llm: 'nosuch/m' }, 'this build has no plugin for nosuch'],
    [{ turn: { eager_eot_threshold: 0.5 }, stt: 'beta' }, 'beta takes no eager_eot_threshold'],
  ]
  for (const [config, sentence] of table) refused(await set(developer, config), 400, sentence)
  assert.equal((await developer.get(settings)).body.yours, null)
  assert.deepEqual(asked(), [], 'no vendor was asked')
})

test('thresholds are held to their bands, ends included (S-187, S-188, S-189, S-419, S-461, S-462, SD-23, ST-031)', async () => {
  const { set } = newAgent()
  const inside = [0.5, 0.9].map((eot_threshold) => ({ eot_threshold }))
  for (const [version, turn] of [...inside, { eager_eot_threshold: 0.3 }].entries())
    assert.equal((await set(developer, { turn }, version)).status, 200)
  refused(
    await set(developer, { turn: { eot_threshold: 0.95 } }, 3),
    400,
    'eot_threshold 0.95 is outside 0.5 to 0.9',
  )
  refused(
    await set(developer, { turn: { eot_threshold: 0.4999 } }, 3),
    400,
    'eot_threshold 0.4999 is outside 0.5 to 0.9',
  )
  refused(
    await set(developer, { turn: { eager_eot_threshold: 0.9001 } }, 3),
    400,
    'eager_eot_threshold 0.9001 is outside 0.3 to 0.9',
  )
})

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

test('a save that changes no stage asks nobody anything, even when every vendor hangs (S-199, ST-022, ST-024, SD-25)', async () => {
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
  await until('the vendor is asked', () => fake.open === 1)
  assert.equal(pool.totalCount - pool.idleCount, 0)
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

test('only stages the set speaks of are judged: words pass where no vendor has a key (ST-029, SD-22)', async () => {
  await using bare = await startTrialDeployment({
    SVC_PROVIDER_KEY_ALPHA: '',
    SVC_PROVIDER_KEY_BETA: '',
    SVC_PROVIDER_KEY_GAMMA: '',
  })
  const { client } = await (await bare.deployment.newOrg()).person('developer')
  const put = (config: object) => client.put(path, { config, if_version: 0 })
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

test('a words key sets the opening’s words and memory, and everything else is carried over as it stands (S-211, S-212, S-214, S-215, S-225, S-359, ST-032, ST-040, ST-041, ST-045, SD-29)', async () => {
  const { settings, set } = newAgent()
  const { client: supervisor, id } = await org.person('supervisor')
  await set(developer, { llm: 'beta' }, 0, { team: true })
  const old = {
    turn: { eager_eot_threshold: 0.95, eot_threshold: 0.95 },
    stt: 'beta',
    greeting: { say: 'a' },
    memory: { remember: 'b' },
  }
  await deployment.sql(
    `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
     values ('settings', $1, $2, 'sandbox', $3, 1, 'before', now(), $4)`,
    [org.id, settings.split('/')[3], id, JSON.stringify(old)],
  )
  fake.mode = 'hang'
  const first = await set(supervisor, { greeting: { say: 'Hello' } }, 1)
  assert.equal(first.status, 200, first.text)
  const { turn, stt } = old
  assert.deepEqual(first.body.yours.config, { turn, stt, greeting: { say: 'Hello' } })
  const whole = { ...first.body.yours.config, memory: { forget: [] } }
  assert.deepEqual((await set(supervisor, whole, 2)).body.yours.config, whole)
  const { client: pipeline } = await org.person('developer')
  refused(await set(pipeline, { turn: { eot_threshold: 0.95 } }), 400, /outside/)
})

test('a server token that opens words alone is a words key too (SD-29)', async () => {
  const { set } = newAgent()
  const wanted = { label: 'words', env: 'sandbox', scopes: ['words'] }
  const { body } = await deployment.operator.post(`/v1/ops/orgs/${org.slug}/keys`, wanted)
  const token = deployment.nobody.as(body.key)
  refused(
    await set(token, { max_duration_s: 5 }),
    403,
    "`max_duration_s`: the pipeline's, and this key opens words alone",
  )
  assert.equal((await set(token, { greeting: { say: 'Hi' } })).status, 200)
})

test('a words key is refused by name whatever else it sets, before the values are judged (S-217, S-218, S-219, S-220, S-221, S-222, S-223, S-224, S-425, ST-042, ST-043, ST-044)', async () => {
  const { set } = newAgent()
  const { client } = await org.person('supervisor')
  refused(
    await set(client, { turn: {}, llm: '', greeting: { say: '' } }),
    403,
    "`llm`, `turn`: the pipeline's, and this key opens words alone",
  )
  for (const knob of Object.keys(everyKnob).filter((name) => !['greeting', 'memory'].includes(name)))
    refused(
      await set(client, { [knob]: everyKnob[knob as keyof typeof everyKnob] }),
      403,
      `\`${knob}\`: the pipeline's, and this key opens words alone`,
    )
  refused(await set(client, { greeting: { say: 'a', reply: 'b' } }), 400, /not with both/)
})

test('settings take a key that opens pipeline or words (S-152, S-356)', async () => {
  const { client } = await org.person('qa')
  refused(await client.get(path), 403, /^this key does not open pipeline or words/)
  refused(await client.put(path, { config: {}, if_version: 0 }), 403, /^this key does not open/)
})

test('a person with a list of agents is refused every other before anything says whether it exists (S-426)', async () => {
  const { client } = await org.person('developer', { agents: ['only'] })
  for (const answer of [
    await client.get(path),
    await client.put(path, { config: { voice: '' }, if_version: 0 }),
  ])
    refused(answer, 403, 'this key works on only alone')
})

test('agents are set apart from each other and count against the quota of the org (S-005, ID-38)', async () => {
  const other = await deployment.newOrg()
  const { client } = await other.person('developer')
  const quotas = {
    minutes: null,
    messages: null,
    agents: 1,
    concurrent_calls: null,
    numbers: null,
    seats: null,
  }
  assert.equal((await deployment.operator.put(`/v1/ops/orgs/${other.slug}/quotas`, quotas)).status, 200)
  const put = (agent: string) =>
    client.put(`/v1/agents/${agent}/settings`, { config: { record: true }, if_version: 0 })
  const answers = await Promise.all(['one', 'two', 'three'].map(put))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(upwards), [200, 429, 429])
  const late = answers.find(({ status }) => status === 429)
  assert.ok(late)
  refused(late, 429, `org ${other.slug} has used 1 of its 1 agents: credits.exhausted`)
  const { body } = await deployment.operator.get(`/v1/ops/orgs/${other.slug}`)
  assert.equal(body.holding.agents, 1)
})
