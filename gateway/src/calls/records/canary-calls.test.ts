import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const ana = await org.person('developer')
const token = (await org.serverToken('sandbox')).client
const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })

const newAgent = () => new TestAgent(token)

test('a canary’s version runs on its share of calls, by their ids (S-131, S-132, S-169, SD-33)', async () => {
  const agent = newAgent()
  await agent.setVersions(4)
  await agent.setCanary(4, 30)
  const ids = ['call_0008', 'call_0010', 'call_0001', 'call_0002', 'call_0003']
  const run = async (mark: string) => {
    const answers = []
    for (const id of ids) answers.push(await agent.config(token, mark === '' ? id : `${id}${mark}`))
    return answers.map(({ config_version, canary: picked }) => [config_version, picked])
  }
  assert.deepEqual(await run(''), [
    [4, true],
    [4, true],
    [3, false],
    [3, false],
    [3, false],
  ])
  await agent.setCanary(4, 0)
  assert.deepEqual(
    await run('-none'),
    ids.map(() => [3, false]),
  )
  await agent.setCanary(2, 100)
  assert.deepEqual(
    await run('-all'),
    ids.map(() => [2, true]),
  )
  await agent.setCanary(2, 0)
  assert.deepEqual(
    await run('-old'),
    ids.map(() => [4, false]),
  )
})

test('of four hundred calls at share 20 about eighty run the canary (S-131)', async () => {
  const agent = newAgent()
  await agent.setVersions(2)
  await agent.setCanary(2, 20)
  for (let batch = 0; batch < 20; batch += 1)
    await Promise.all(Array.from({ length: 20 }, () => agent.open(token)))
  const { rows } = await deployment.sql(
    'select count(*) as calls, count(*) filter (where canary) as picked from calls where agent = $1',
    [agent.slug],
  )
  const { calls, picked } = rows[0]
  assert.equal(calls, 400)
  assert.ok(picked >= 40 && picked <= 120, `${picked} of 400`) // five standard deviations to either side
})

test('a picked call keeps its version through shares, an end, a restart; new ones do not (S-133, S-134, S-136, S-137, S-138, ST-056, ST-060, ST-065)', async () => {
  const agent = newAgent()
  await agent.setVersions(4)
  await agent.setCanary(4, 100)
  const handed = await fleet.get(`${agent.at}/provider-keys?for_call=kept`)
  assert.equal(handed.status, 200, handed.text)
  const kept = [4, true]
  const of = async (call: string, asker = token) => {
    const { config_version, canary: picked } = await agent.config(asker, call)
    return [config_version, picked]
  }
  assert.deepEqual(await of('kept'), kept)
  await agent.set(token, { max_duration_s: 5 }, 4)
  assert.deepEqual([await of('kept'), await of('beside')], [kept, kept])
  await agent.setCanary(4, 0)
  assert.deepEqual([await of('kept'), await of('none')], [kept, [5, false]])
  assert.equal((await token.delete(`${agent.at}/settings/canary`)).status, 200)
  assert.deepEqual([await of('kept'), await of('ended'), await of('none')], [kept, [5, false], [5, false]])
  await using restarted = await deployment.another()
  const client = restarted.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  assert.deepEqual([await of('kept', client), await of('ended', client)], [kept, [5, false]])
})

test('a canary on a scope’s only version lets the calls it does not pick fall through (ST-061, SD-34)', async () => {
  const agent = newAgent()
  await agent.setVersions(3)
  await agent.set(ana.client, { language: 'es', max_duration_s: 99 })
  await ana.client.put(`${agent.at}/settings/canary`, { version: 1, share: 0 })
  const through = await agent.config(ana.client, `through-${agent.slug}`)
  assert.deepEqual(
    [through.config_version, through.config.max_duration_s, through.config.language],
    [3, 3, undefined],
  )
  await ana.client.put(`${agent.at}/settings/canary`, { version: 1, share: 100 })
  const picked = await agent.config(ana.client, `picked-${agent.slug}`)
  assert.deepEqual([picked.config_version, picked.config.max_duration_s, picked.canary], [1, 99, true])
})

test('twenty requests that name one new call while the share changes resolve it once (SD-33, ST-065, SD-14)', async () => {
  const agent = newAgent()
  await agent.setVersions(2)
  for (let round = 0; round < 5; round += 1) {
    const call = `race-${agent.slug}-${round}`
    const path = (n: number) => `${agent.at}/${n % 2 === 0 ? 'config' : 'provider-keys'}?for_call=${call}`
    const asked = Array.from({ length: 20 }, (_, n) => fleet.get(path(n)))
    const changes = [100, 0, 100, 0].map((share) => agent.setCanary(2, share))
    const answers = await Promise.all(asked)
    await Promise.all(changes)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const configs = answers.flatMap(({ body }) => (body.config ? [[body.config_version, body.canary]] : []))
    assert.equal(configs.length, 10)
    const recorded = done(await token.get(`/v1/calls/${call}/settings`))
    for (const run of configs) assert.deepEqual(run, [recorded.config_version, recorded.canary])
    const { rowCount } = await deployment.sql('select from calls where id = $1', [call])
    assert.equal(rowCount, 1)
  }
})
