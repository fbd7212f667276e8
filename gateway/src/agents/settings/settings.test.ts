import { knobs } from '@switchroom/contract/knobs'
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial
const org = await deployment.newOrg()
const { client: developer, id: developerId } = await org.person('developer', { production: true })
const upwards = (a: number, b: number) => a - b
const path = '/v1/agents/desk/settings'

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

test('reads of an unknown agent are empty, and a malformed slug is 404 before the body is judged (SD-03, SD-04)', async () => {
  const { body } = await developer.get('/v1/agents/nobody-named-it/settings')
  assert.deepEqual(body, { world: 'sandbox', yours: null, team: null, production: null, fixed: [] })
  refused(await developer.get('/v1/agents/No%20Slug/settings'), 404, 'there is no agent No Slug')
  refused(
    await developer.put('/v1/agents/No%20Slug/settings', { config: 5 }),
    404,
    'there is no agent No Slug',
  )
})

test('in the sandbox each person has a scope of their own, and `team` is everybody’s (S-007, S-020, S-021, S-022, S-023, S-024, S-155, ST-003)', async () => {
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

test('a key that names no person writes the team’s scope whatever it says (S-026, S-368, ST-005)', async () => {
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

test('the current version is compared with `if_version`, and a stale one changes nothing (S-127, S-200, S-431, S-477, SD-12, ST-021)', async () => {
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
