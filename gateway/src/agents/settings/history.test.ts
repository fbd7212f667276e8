import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Config } from '@switchroom/contract/settings'
import { refused, type Client } from '../../../testing/client.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake } = trial
const org = await deployment.newOrg()
const { client: developer, id: developerId, email } = await org.person('developer', { production: true })
const supervisor = await org.person('supervisor')

const hello = { greeting: { say: 'Hello' } }
const bye = { greeting: { say: 'Goodbye' }, record: true }
let agents = 0

/** A new agent, and ways to set it and to ask about its past. */
function newAgent() {
  agents += 1
  const agent = `agent-${agents}`
  const path = `/v1/agents/${agent}/settings`
  const rollBack = (client: Client, version: unknown, more: object = {}) =>
    client.post(`${path}/rollback`, { version, ...more })
  const history = async (client: Client, query = '') => (await client.get(`${path}/history${query}`)).body
  /** Sets one config after the other, from the version the scope is at. */
  const set = async (client: Client, configs: Config[], more: object = {}, from = 0) => {
    for (const [at, config] of configs.entries()) {
      const answer = await client.put(path, { config, if_version: from + at, ...more })
      assert.equal(answer.status, 200, answer.text)
    }
  }
  return { agent, path, set, rollBack, history }
}

const numbers = ({ versions }: { versions: { version: number }[] }) => versions.map(({ version }) => version)

test("the history lists one scope's versions, newest first, with the author and note of each (S-010, S-158, S-159, S-160, SD-07, SD-30)", async () => {
  const { set, history } = newAgent()
  await set(developer, [hello], { note: 'first' })
  await set(developer, [bye], {}, 1)
  await set(supervisor.client, [hello], { team: true })
  await set(developer.in('production'), [hello, bye, hello])
  const mine = await history(developer)
  assert.deepEqual([mine.world, mine.holder, numbers(mine)], ['sandbox', developerId, [2, 1]])
  const [second, { set_at, ...first }] = mine.versions
  assert.deepEqual(Object.keys(second), ['holder', 'version', 'author', 'note', 'set_at', 'config'])
  assert.deepEqual([second.note, second.config], [null, bye])
  assert.deepEqual(first, { holder: developerId, version: 1, author: email, note: 'first', config: hello })
  assert.ok(Number.isInteger(set_at))
  for (const query of ['?team=true', '?team=1']) {
    const team = await history(developer, query)
    assert.deepEqual([team.holder, numbers(team), team.versions[0].author], ['', [1], supervisor.email])
  }
  for (const query of ['?team=false', '?team=0']) assert.deepEqual(await history(developer, query), mine)
  const production = await history(developer.in('production'), '?team=true')
  assert.deepEqual([production.world, production.holder, numbers(production)], ['production', '', [3, 2, 1]])
  assert.deepEqual(numbers(await history(supervisor.client)), [])
})

test('a limit is a whole number from 1, 50 by default, and over 200 it is 200 (S-161, SD-30)', async () => {
  const { agent, path, set, history } = newAgent()
  await set(developer, [hello])
  await deployment.sql(
    `insert into versions select kind, org, agent, env, holder, added, author, note, set_at, content
     from versions, generate_series(2, 201) as added where org = $1 and agent = $2`,
    [org.id, agent],
  )
  assert.deepEqual(numbers(await history(developer, '?limit=2')), [201, 200])
  assert.equal((await history(developer)).versions.length, 50)
  for (const limit of ['200', '201', '99999999999999999999'])
    assert.equal((await history(developer, `?limit=${limit}`)).versions.length, 200, limit)
  for (const limit of ['0', '-1', '1.5', '1e2', 'all', ''])
    refused(await developer.get(`${path}/history?limit=${limit}`), 400, 'limit is a whole number from 1')
  refused(await developer.get(`${path}/history?team=yes`), 400, 'team is true or false')
})

test('a diff names the knobs that differ between two rows as stored, in the order of the table (S-162, S-163, SD-31, ST-014)', async () => {
  const { path, set } = newAgent()
  const diff = async (query: string, client = developer) => (await client.get(`${path}/diff?${query}`)).body
  assert.deepEqual(await diff('against=team'), {
    world: 'sandbox',
    against: 'team',
    version: null,
    against_version: null,
    fields: [],
    changes: {},
  })
  const bases = [{ base: 'faq' }]
  await set(developer, [
    hello,
    { bases, max_duration_s: 0, turn: { endpointing_ms: 1, min_interruption_ms: 2 } },
  ])
  await set(
    developer,
    [{ llm: 'beta/beta-model', bases: [], turn: { min_interruption_ms: 2, endpointing_ms: 1 } }],
    {
      team: true,
    },
  )
  assert.deepEqual(await diff('against=team'), {
    world: 'sandbox',
    against: 'team',
    version: 2,
    against_version: 1,
    fields: ['llm', 'max_duration_s', 'bases'],
    changes: {
      llm: { here: null, there: 'beta/beta-model' },
      max_duration_s: { here: 0, there: null },
      bases: { here: bases, there: [] },
    },
  })
  const production = await diff('against=production&team=true')
  assert.deepEqual([production.version, production.against_version], [1, null])
  assert.deepEqual(production.fields, ['llm', 'turn', 'bases'])
  const ofItself = await diff('against=team&team=true')
  assert.deepEqual([ofItself.version, ofItself.fields, ofItself.changes], [1, [], {}])
  const inProduction = await diff('against=team', developer.in('production'))
  assert.deepEqual(
    [inProduction.world, inProduction.version, inProduction.against_version],
    ['production', null, 1],
  )
})

test('a diff is against team or production (SD-31)', async () => {
  const { path } = newAgent()
  for (const query of ['', '?against=', '?against=yours', '?against=Team'])
    refused(await developer.get(`${path}/diff${query}`), 400, 'against is team or production')
})

test('a rollback copies an old version forward as the asker, now (S-128, S-129, S-164, S-473, SD-32, ST-054)', async () => {
  const { path, set, rollBack, history } = newAgent()
  await set(supervisor.client, [hello], { team: true, note: 'theirs' })
  await set(developer, [bye], { team: true }, 1)
  const before = (await history(developer, '?team=1')).versions
  deployment.clock.forward(60_000)
  const answer = await rollBack(developer, 1, { team: true })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, (await developer.get(path)).body)
  const { set_at, ...row } = answer.body.team
  assert.deepEqual(row, { holder: '', version: 3, author: email, note: 'rollback to v1', config: hello })
  assert.ok(set_at >= before[0].set_at + 60)
  assert.deepEqual((await history(developer, '?team=1')).versions.slice(1), before)
  assert.equal((await rollBack(developer, 3, { team: true })).body.team.version, 4)
  assert.equal(answer.body.yours, null)
})

test('a version the scope never had is 404 and adds nothing (S-166, S-428, SD-32, ST-009)', async () => {
  const { set, rollBack, history } = newAgent()
  await set(developer, [hello, bye, hello], { team: true })
  await set(developer, [hello])
  for (const version of [3, 99, 0, -1, 2 ** 31, -(2 ** 40), 1e30])
    refused(await rollBack(developer, version), 404, `this corner never had a v${version}`)
  for (const version of ['1', 1.5, true, null])
    refused(await rollBack(developer, version), 422, 'version: must be a whole number')
  refused(await rollBack(developer, undefined), 422, 'version: is required')
  refused(await rollBack(developer, 1, { team: 1 }), 422, 'team: must be true or false')
  assert.deepEqual(numbers(await history(developer)), [1])
})

test('a version kept before a check was added is read, listed and rolled back to, and no vendor is asked (S-476, SD-32, ST-055)', async () => {
  const { agent, path, set, rollBack, history } = newAgent()
  await set(developer, [hello])
  const old = { voice: '', llm: 'gone/model', turn: { eot_threshold: 0.99 }, llm_options: { seed: 1 } }
  await deployment.sql(
    `insert into versions select kind, org, agent, env, holder, 2, author, note, set_at, $3
     from versions where org = $1 and agent = $2`,
    [org.id, agent, JSON.stringify(old)],
  )
  assert.deepEqual((await developer.get(path)).body.yours.config, old)
  await set(developer, [hello], {}, 2)
  assert.deepEqual((await history(developer)).versions[1].config, old)
  fake.mode = 'hang'
  trial.asked()
  const { status, body } = await rollBack(developer, 2)
  fake.mode = 'answer'
  assert.deepEqual([status, body.yours.version, body.yours.config], [200, 4, old])
  assert.deepEqual(trial.asked(), [])
})

test('history and diff open to words, a rollback to the pipeline alone (S-165, S-226, S-356, S-360, SD-05, ST-046)', async () => {
  const { path, set, rollBack, history } = newAgent()
  await set(supervisor.client, [hello, { greeting: { say: 'Hi' } }])
  const words = await org.serverToken('sandbox', { scopes: ['words'] })
  for (const [{ client }, opens] of [
    [supervisor, 'calls · talk · words · evals'],
    [words, 'words'],
  ] as const) {
    assert.equal((await client.get(`${path}/history`)).status, 200)
    assert.equal((await client.get(`${path}/diff?against=team`)).status, 200)
    refused(await rollBack(client, 1), 403, `this key does not open pipeline: it opens ${opens}`)
  }
  assert.deepEqual(numbers(await history(supervisor.client)), [2, 1])
  const qa = await org.person('qa')
  for (const end of ['history', 'diff?against=team'])
    refused(
      await qa.client.get(`${path}/${end}`),
      403,
      /^this key does not open pipeline or words: it opens /,
    )
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  await set(ci.client, [hello])
  assert.equal((await rollBack(ci.client, 1)).body.team.note, 'rollback to v1')
})

test('concurrent rollbacks get versions one after the other (S-471, SD-14)', async () => {
  const { set, rollBack, history } = newAgent()
  await set(developer, [hello, bye])
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => rollBack(developer, 1 + (at % 2))))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.deepEqual(
    numbers(await history(developer)),
    Array.from({ length: 12 }, (_, at) => 12 - at),
  )
})

test('the database itself changes and deletes no version (S-126, S-472)', async () => {
  const { set, history } = newAgent()
  await set(developer, [hello])
  const before = await history(developer)
  for (const statement of [
    `update versions set note = 'another'`,
    `delete from versions`,
    `truncate versions`,
    `truncate agents cascade`,
    `insert into versions select * from versions on conflict on constraint versions_once do update set note = 'another'`,
  ])
    await assert.rejects(
      deployment.sql(statement),
      /versions keeps what it holds: rows are added, never changed or deleted/,
      statement,
    )
  assert.deepEqual(await history(developer), before)
})

test('an unknown agent has no history, and a malformed slug is 404 (SD-03)', async () => {
  const { path, rollBack } = newAgent()
  const empty = { world: 'sandbox', holder: developerId, versions: [] }
  assert.deepEqual((await developer.get(`${path}/history`)).body, empty)
  refused(await rollBack(developer, 1), 404, 'this corner never had a v1')
  const malformed = '/v1/agents/No%20Slug/settings'
  for (const end of ['history', 'diff?against=team'])
    refused(await developer.get(`${malformed}/${end}`), 404, 'there is no agent No Slug')
  refused(await developer.post(`${malformed}/rollback`, { version: 1 }), 404, 'there is no agent No Slug')
})
