import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client: developer, id: developerId, email } = await org.person('developer', { production: true })
const supervisor = await org.person('supervisor')

let agents = 0

/** An agent with so many versions of the developer's own scope and of the team's. */
async function agentWith(versions: { yours?: number; team?: number; production?: number }) {
  agents += 1
  const settings = `/v1/agents/agent-${agents}/settings`
  const path = `${settings}/canary`
  const set = async (client: Client, from: number, to: number, team = false) => {
    for (let if_version = from; if_version < to; if_version += 1) {
      const config = { greeting: { say: `Hello ${if_version}` } }
      assert.equal((await client.put(settings, { config, if_version, team })).status, 200)
    }
  }
  await set(developer, 0, versions.yours ?? 0)
  await set(developer, 0, versions.team ?? 0, true)
  await set(developer.in('production'), 0, versions.production ?? 0)
  const standing = async (query = '', client = developer) => (await client.get(path + query)).body.canary
  return { settings, path, set, standing, put: (body: object) => developer.put(path, body) }
}

test('a canary names a version of the scope, and every answer shows it (S-106, S-130, S-228, S-230, SD-13, SD-34)', async () => {
  const { path, put } = await agentWith({ yours: 2 })
  const none = { world: 'sandbox', holder: developerId, canary: null }
  assert.deepEqual((await developer.get(path)).body, none)
  const before = Math.floor(deployment.clock.now().getTime() / 1000)
  const answer = await put({ version: 2, share: 20, note: 'try it', team: false })
  assert.equal(answer.status, 200, answer.text)
  const { set_at, ...canary } = answer.body.canary
  assert.deepEqual(
    { ...answer.body, canary },
    {
      ...none,
      canary: { holder: developerId, version: 2, share: 20, author: email, note: 'try it' },
    },
  )
  assert.ok(Number.isInteger(set_at) && set_at >= before && set_at <= before + 60, String(set_at))
  assert.deepEqual((await developer.get(path)).body, answer.body)
})

test('a share is 0 to 100, and is judged before the version (S-107, S-463, SD-34, ST-064)', async () => {
  const { put, standing } = await agentWith({ yours: 1 })
  for (const share of [0, 100]) assert.equal((await put({ version: 1, share })).body.canary.share, share)
  for (const share of [-1, 101, 1e30])
    refused(await put({ version: 99, share }), 400, 'share is 0 to 100 calls in a hundred')
  for (const share of [50.5, '50', true, null])
    refused(await put({ version: 1, share }), 422, 'share: must be a whole number')
  refused(await put({ share: 5 }), 422, 'version: is required')
  refused(await put({ version: 1 }), 422, 'share: is required')
  refused(await put({ version: true, share: 5 }), 422, 'version: must be a whole number')
  refused(await put({ version: 1, share: 5, team: 'true' }), 422, 'team: must be true or false')
  refused(await put({ version: 1, share: 5, note: 'x'.repeat(501) }), 400, 'a note is at most 500 characters')
  assert.equal((await standing()).share, 100)
})

test('a version the scope never had is 404 and changes nothing, also if another scope has it (S-135, S-428, ST-064)', async () => {
  const { put, standing } = await agentWith({ yours: 1, team: 3 })
  await put({ version: 1, share: 10 })
  const before = await standing()
  for (const version of [3, 99, 0, -1, 2 ** 31])
    refused(await put({ version, share: 50 }), 404, `this corner never had a v${version}`)
  assert.deepEqual(await standing(), before)
  assert.equal((await put({ version: 3, share: 50, team: true })).body.canary.version, 3)
})

test('a canary of share 0 still exists, and only a DELETE ends it (S-231, SD-34, ST-062)', async () => {
  const { path, put, standing } = await agentWith({ yours: 1, team: 1 })
  await put({ version: 1, share: 0 })
  await put({ version: 1, share: 5, team: true })
  assert.equal((await standing()).share, 0)
  const none = { world: 'sandbox', holder: developerId, canary: null }
  const ended = await developer.delete(path)
  assert.deepEqual([ended.status, ended.body], [200, none])
  const again = await developer.delete(`${path}?team=false`)
  assert.deepEqual([again.status, again.body], [200, none])
  assert.deepEqual((await developer.get(path)).body, none)
  assert.equal((await standing('?team=true')).share, 5)
  assert.deepEqual((await developer.delete(`${path}?team=1`)).body, { ...none, holder: '' })
  assert.equal(await standing('?team=true'), null)
  refused(await developer.delete(`${path}?team=yes`), 400, 'team is true or false')
  refused(await developer.get(`${path}?team=`), 400, 'team is true or false')
})

test('a canary replaces the current one, and a set or a rollback beside it does not change it (SD-32, SD-34, ST-060)', async () => {
  const { settings, put, set, standing } = await agentWith({ yours: 2 })
  await put({ version: 1, share: 10, note: 'first' })
  await put({ version: 2, share: 30 })
  const replaced = await standing()
  assert.deepEqual([replaced.version, replaced.share, replaced.note], [2, 30, null])
  await set(developer, 2, 3)
  assert.equal((await developer.post(`${settings}/rollback`, { version: 1 })).body.yours.version, 4)
  assert.deepEqual(await standing(), replaced)
})

test('each scope has a canary of its own, chosen as the scope of a set is (S-229, SD-07, ST-005, ST-006)', async () => {
  const { path, put, standing } = await agentWith({ yours: 1, team: 2, production: 3 })
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  const production = developer.in('production')
  await put({ version: 1, share: 1 })
  const byCi = (await ci.client.put(path, { version: 2, share: 2, team: false })).body
  assert.deepEqual([byCi.holder, byCi.canary.holder, byCi.canary.author], ['', '', 'ci'])
  const live = (await production.put(path, { version: 3, share: 3, team: true })).body
  assert.deepEqual([live.world, live.holder, live.canary.share], ['production', '', 3])
  assert.equal((await standing()).share, 1)
  for (const query of ['?team=true', '?team=1']) assert.equal((await standing(query)).share, 2)
  assert.equal((await standing('', ci.client)).share, 2)
  assert.equal(await standing('', supervisor.client), null)
  assert.equal((await standing('?team=true', production)).share, 3)
})

test('a key that opens words reads a canary, and the pipeline alone sets and ends one (S-227, S-228, S-360, S-361, SD-05, ST-046)', async () => {
  const { path, put } = await agentWith({ team: 1 })
  await put({ version: 1, share: 10, team: true })
  const words = await org.serverToken('sandbox', { scopes: ['words'] })
  for (const [{ client }, opens] of [
    [supervisor, 'calls · talk · words · evals'],
    [words, 'words'],
  ] as const) {
    const pipelineOnly = `this key does not open pipeline: it opens ${opens}`
    assert.equal((await client.get(`${path}?team=true`)).body.canary.share, 10)
    refused(await client.put(path, { version: 1, share: 20, team: true }), 403, pipelineOnly)
    refused(await client.delete(`${path}?team=true`), 403, pipelineOnly)
    assert.equal((await client.get(`${path}?team=true`)).body.canary.share, 10)
  }
  const pipeline = await org.serverToken('sandbox', { scopes: ['pipeline'] })
  assert.equal((await pipeline.client.get(path)).body.canary.share, 10)
  assert.equal((await pipeline.client.delete(path)).status, 200)
  const qa = await org.person('qa')
  refused(await qa.client.get(path), 403, /^this key does not open pipeline or words: it opens /)
})

test('of canaries set at the same time one is kept, whole (SD-14, SD-34)', async () => {
  const { put, standing } = await agentWith({ yours: 4 })
  const wanted = Array.from({ length: 20 }, (_, at) => ({ version: 1 + (at % 4), share: at, note: `n${at}` }))
  const answers = await Promise.all(wanted.map(put))
  for (const [at, { status, body }] of answers.entries())
    assert.deepEqual([status, body.canary.note], [200, wanted[at]?.note])
  const { version, share, note } = await standing()
  assert.deepEqual({ version, share, note }, wanted[share])
})

test('an unknown agent has no canary, and a malformed slug is 404 (SD-03)', async () => {
  const { path, put } = await agentWith({})
  assert.equal((await developer.get(path)).body.canary, null)
  assert.equal((await developer.delete(path)).status, 200)
  refused(await put({ version: 1, share: 1 }), 404, 'this corner never had a v1')
  const malformed = '/v1/agents/No%20Slug/settings/canary'
  const canary = { version: 1, share: 1 }
  for (const answer of [
    developer.get(malformed),
    developer.put(malformed, canary),
    developer.delete(malformed),
  ])
    refused(await answer, 404, 'there is no agent No Slug')
})
