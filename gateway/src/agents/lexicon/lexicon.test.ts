import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Lexicon } from '@switchroom/contract/settings'
import { refused, type Client } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'
import type { Caller } from '../../foundation/caller.ts'
import { Agents } from '../agents.ts'
import type { Declaration } from '../stages/declaration.ts'
import { Versions } from '../versions/versions.ts'
import { Lexicons } from './lexicon.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client: developer, id: developerId, email } = await org.person('developer', { production: true })

const sql = { word: 'SQL', spoken: 'sequel' }
let agents = 0

/** A new agent, and a way to set its lexicon as any caller. */
function newAgent() {
  agents += 1
  const agent = `agent-${agents}`
  const path = `/v1/agents/${agent}/lexicon`
  return {
    agent,
    path,
    set: (client: Client, lexicon: object, ifVersion = 0, more: object = {}) =>
      client.put(path, { lexicon, if_version: ifVersion, ...more }),
  }
}

test('a set makes a row of exactly six fields with both halves, and answers what GET answers (S-101, S-125, S-234, S-235, SD-13, SD-42)', async () => {
  const { path, set } = newAgent()
  const before = Math.floor(deployment.clock.now().getTime() / 1000)
  const answer = await set(developer, { said: [{ word: ' SQL ', spoken: 'sequel' }] }, 0, { note: 'names' })
  assert.equal(answer.status, 200, answer.text)
  const { yours, ...rest } = answer.body
  assert.deepEqual(rest, { world: 'sandbox', team: null, production: null, fixed: [] })
  const { set_at, ...row } = yours
  assert.ok(Number.isInteger(set_at) && set_at >= before && set_at <= before + 60, String(set_at))
  const lexicon = { said: [sql], heard: [] }
  assert.deepEqual(row, { holder: developerId, version: 1, author: email, note: 'names', lexicon })
  assert.deepEqual((await developer.get(path)).body, answer.body)
})

test('the set is the whole lexicon, and what was there before stays in the history as it was (S-126, S-236, S-472)', async () => {
  const { path, set } = newAgent()
  await set(developer, { said: [sql], heard: ['Nguyễn'] })
  const [first] = (await developer.get(`${path}/history`)).body.versions
  const { body } = await set(developer, { heard: ['Ana'] }, 1)
  assert.deepEqual(body.yours.lexicon, { said: [], heard: ['Ana'] })
  const { versions } = (await developer.get(`${path}/history`)).body
  assert.equal(versions.length, 2)
  assert.deepEqual(versions[1], first)
})

test("each scope counts its own versions, apart from the settings' (S-100, S-470, SD-08, SD-12, ST-009)", async () => {
  const { agent, path, set } = newAgent()
  await developer.put(`/v1/agents/${agent}/settings`, { config: {}, if_version: 0 })
  await set(developer, { heard: ['mine'] })
  for (const version of [0, 1]) await set(developer, { heard: ['ours'] }, version, { team: true })
  for (const version of [0, 1, 2]) await set(developer.in('production'), { heard: ['live'] }, version)
  const { body } = await developer.get(path)
  const versions = (view: typeof body) => [view.yours.version, view.team.version, view.production.version]
  assert.deepEqual(versions(body), [1, 2, 3])
  assert.deepEqual([body.yours.holder, body.team.holder, body.production.holder], [developerId, '', ''])
  const inProduction = (await developer.in('production').get(path)).body
  assert.deepEqual([inProduction.world, versions(inProduction)], ['production', [1, 2, 3]])
  const { body: settings } = await developer.get(`/v1/agents/${agent}/settings`)
  assert.deepEqual([settings.yours.version, settings.team], [1, null])
})

test('a key that names no person writes the team scope, and production has one scope whatever team says (SD-07, ST-005, ST-006)', async () => {
  const { path, set } = newAgent()
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  const byCi = (await set(ci.client, { heard: ['ci'] }, 0, { team: false })).body
  assert.deepEqual([byCi.yours, byCi.team.holder, byCi.team.author], [null, '', 'ci'])
  const { holder, versions } = (await ci.client.get(`${path}/history`)).body
  assert.deepEqual([holder, versions.length], ['', 1])
  const { body } = await set(developer.in('production'), { heard: ['live'] }, 0, { team: true })
  assert.deepEqual([body.yours, body.team.version, body.production.version], [null, 1, 1])
})

test('a set on another version than the scope is at is 409 and uses no number (S-237, S-431, S-471, S-477, SD-12)', async () => {
  const { path, set } = newAgent()
  for (const stale of [1, -1, 2 ** 40])
    refused(await set(developer, { heard: ['a'] }, stale), 409, 'this corner is at v0 now')
  await set(developer, { heard: ['a'] })
  refused(await set(developer, { heard: ['b'] }), 409, 'this corner is at v1 now')
  assert.equal((await set(developer, { heard: ['b'] }, 1)).body.yours.version, 2)
  assert.equal((await developer.get(`${path}/history`)).body.versions.length, 2)
})

test('a body of the wrong shape is 422, a lexicon that does not fit is 400 whatever version it names (S-239, SD-02, SD-12, SD-13, SD-42)', async () => {
  const { path, set } = newAgent()
  const put = (body: object) => developer.put(path, body)
  refused(await put({ if_version: 0 }), 422, 'lexicon: is required')
  refused(await put({ lexicon: [], if_version: 0 }), 422, 'lexicon: must be an object')
  refused(await put({ lexicon: {} }), 422, 'if_version: is required')
  for (const if_version of ['0', 0.5, true, null])
    refused(await put({ lexicon: {}, if_version }), 422, 'if_version: must be a whole number')
  refused(await set(developer, {}, 0, { team: 'true' }), 422, 'team: must be true or false')
  refused(await set(developer, {}, 0, { note: 'x'.repeat(501) }), 400, 'a note is at most 500 characters')
  refused(await set(developer, { heard: [' '] }, 7), 400, '`heard[0]` is blank')
  refused(await set(developer, { said: [{ ...sql, word: '' }] }), 400, '`said[0].word` is blank')
  assert.deepEqual((await developer.get(`${path}/history`)).body.versions, [])
})

test('a half that the class declares cannot be changed, and the other one can (S-105, S-238, SD-42, SD-43, ST-052)', async () => {
  const { agent, path, set } = newAgent()
  await set(developer, { said: [sql], heard: ['Ana'] })
  const { lexicons, caller } = await heldBy({ app: 'desk', declared: {}, hears: ['Nguyễn'] })
  const put = (lexicon: Lexicon, if_version = 1) => lexicons.set(caller, agent, { lexicon, if_version })
  assert.deepEqual((await lexicons.read(caller, agent)).fixed, ['hears'])
  const changed = { status: 409, message: 'hears set by the class of desk' }
  await assert.rejects(put({ said: [sql], heard: [] }), changed)
  await assert.rejects(put({ said: [], heard: ['Nguyễn'] }, 9), changed, 'before the version is looked at')
  const { yours } = await put({ said: [], heard: ['Ana'] })
  assert.deepEqual([yours?.version, yours?.lexicon], [2, { said: [], heard: ['Ana'] }])

  const both = await heldBy({ app: 'desk', declared: {}, says: [sql], hears: [] })
  assert.deepEqual((await both.lexicons.read(caller, agent)).fixed, ['says', 'hears'])
  await assert.rejects(both.lexicons.set(caller, agent, { lexicon: { said: [sql] }, if_version: 2 }), {
    status: 409,
    message: 'says, hears set by the class of desk',
  })
  const elsewhere = { lexicon: { said: [sql] }, if_version: 0, team: true }
  await assert.rejects(both.lexicons.set(caller, agent, elsewhere), {
    status: 409,
    message: 'says set by the class of desk',
  })
  assert.deepEqual((await developer.get(path)).body.fixed, [])
})

/** The rules as they are while an app holds the agent with this class. */
async function heldBy(declaration: Declaration) {
  const { database, clock, orgs } = deployment.gateway.services
  const versions = new Versions<Lexicon>(database, clock, new Agents(database, clock, orgs), 'lexicon')
  const { body } = await developer.get('/v1/whoami')
  const caller: Caller = { ...body, kind: 'person', agents: [] }
  return { lexicons: new Lexicons(versions, async () => declaration), caller }
}

test('the history of one scope is newest first, as many as asked for (S-240, SD-30)', async () => {
  const { path, set } = newAgent()
  for (const version of [0, 1, 2]) await set(developer, { heard: [`w${version}`] }, version)
  await set(developer, { heard: ['ours'] }, 0, { team: true })
  const versions = async (query: string) => {
    const { body } = await developer.get(`${path}/history${query}`)
    return [body.world, body.holder, body.versions.map(({ version }: { version: number }) => version)]
  }
  assert.deepEqual(await versions(''), ['sandbox', developerId, [3, 2, 1]])
  assert.deepEqual(await versions('?limit=2'), ['sandbox', developerId, [3, 2]])
  assert.deepEqual(await versions('?team=true'), ['sandbox', '', [1]])
  const [row] = (await developer.get(`${path}/history`)).body.versions
  assert.deepEqual(Object.keys(row), ['holder', 'version', 'author', 'note', 'set_at', 'lexicon'])
  refused(await developer.get(`${path}/history?limit=0`), 400, 'limit is a whole number from 1')
  refused(await developer.get(`${path}/history?team=yes`), 400, 'team is true or false')
})

test('all three open to pipeline or to words, and to nothing else (S-216, S-241, S-356, S-357, SD-05)', async () => {
  const { path, set } = newAgent()
  const supervisor = await org.person('supervisor')
  const pipeline = await org.serverToken('sandbox', { scopes: ['pipeline'] })
  const words = await org.serverToken('sandbox', { scopes: ['words'] })
  const app = await org.serverToken('sandbox', { scopes: ['app'] })
  let version = 0
  for (const { client } of [pipeline, words, app, supervisor]) {
    if (client === supervisor.client) version = 0
    assert.equal((await set(client, { said: [sql], heard: ['a'] }, version)).status, 200)
    const { yours, team } = (await client.get(path)).body
    assert.deepEqual((yours ?? team).lexicon, { said: [sql], heard: ['a'] })
    assert.equal((await client.get(`${path}/history`)).status, 200)
    version += 1
  }
  const neither = /^this key does not open pipeline or words: it opens /
  for (const { client } of [
    await org.person('qa'),
    await org.serverToken('sandbox', { scopes: ['calls'] }),
  ]) {
    refused(await set(client, {}), 403, neither)
    refused(await client.get(path), 403, neither)
    refused(await client.get(`${path}/history`), 403, neither)
  }
})

test('an unknown agent reads empty, a malformed slug is 404, and a lexicon has no diff, rollback or canary (SD-03, SD-31)', async () => {
  const { path } = newAgent()
  const empty = { world: 'sandbox', yours: null, team: null, production: null, fixed: [] }
  assert.deepEqual((await developer.get(path)).body, empty)
  const history = { world: 'sandbox', holder: developerId, versions: [] }
  assert.deepEqual((await developer.get(`${path}/history`)).body, history)
  for (const end of ['', '/history'])
    refused(await developer.get(`/v1/agents/No%20Slug/lexicon${end}`), 404, 'there is no agent No Slug')
  const put = developer.put('/v1/agents/-a/lexicon', { lexicon: {}, if_version: 0 })
  refused(await put, 404, 'there is no agent -a')
  assert.equal((await developer.get(`${path}/diff?against=team`)).status, 404)
  assert.equal((await developer.post(`${path}/rollback`, { version: 1 })).status, 404)
  assert.equal((await developer.get(`${path}/canary`)).status, 404)
})

test('a lexicon names an agent, as far as the quota of the org goes (SD-03)', async () => {
  const small = await deployment.newOrg()
  const { client } = await small.person('developer')
  await deployment.operator.put(`/v1/ops/orgs/${small.slug}/quotas`, { ...noLimit, agents: 1 })
  const body = { lexicon: {}, if_version: 0 }
  assert.equal((await client.put('/v1/agents/one/lexicon', { ...body, if_version: 5 })).status, 409)
  assert.equal((await client.put('/v1/agents/two/lexicon', body)).status, 200)
  refused(
    await client.put('/v1/agents/one/lexicon', body),
    429,
    `org ${small.slug} has used 1 of its 1 agents: credits.exhausted`,
  )
})

test('of twenty concurrent sets one is kept, and the others learn the new version (SD-14)', async () => {
  const { path, set } = newAgent()
  for (const version of [0, 1]) {
    const sets = Array.from({ length: 20 }, (_, at) => set(developer, { heard: [`w${at}`] }, version))
    const answers = await Promise.all(sets)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      refused(answer, 409, `this corner is at v${version + 1} now`)
    assert.equal((await developer.get(`${path}/history`)).body.versions.length, version + 1)
  }
})
