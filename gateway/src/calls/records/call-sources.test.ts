import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { statement, type Database } from '../../database/database.ts'
import { CallSources } from './call-sources.ts'
import { SettingsMemory } from './settings-memory.ts'
import { scopesRun } from './versions-run.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database } = deployment.gateway.services
const org = await deployment.newOrg()
const person = await org.person('developer')
await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])

const alive = () => ({ own: 'gw_test', since: new Date() })
const scope = { org: org.id, agent: 'desk', env: 'sandbox', holder: person.id } as const
/** Of two gateways. */
const remembering = [new CallSources(alive), new CallSources(alive)]

const setVersion = (version: number, holder: string, kind = 'settings') =>
  sql(
    `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
     values ($1, $2, 'desk', 'sandbox', $3, $4, 'a test', now(), json_build_object('language', $4::int::text))`,
    [kind, org.id, holder, version],
  )

/** What a call runs on; what is remembered may hold other versions beside it. */
async function readBy(sources: CallSources, call: string | null) {
  const { scopes, own, ...rest } = await sources.read(database, scope, call)
  const { is_agent_named } = await sources.read(database, { ...scope, agent: 'later' }, null)
  return {
    ...rest,
    own: own.toSorted(),
    ran: scopesRun(rest.record, scopes, call),
    is_later_named: is_agent_named,
  }
}

test('after every change of what calls are resolved from, each gateway reads what is there now', async () => {
  await setVersion(1, '')
  await setVersion(1, '', 'lexicon')
  const { client } = person
  const { call } = (await client.post('/v1/calls', { agent: 'desk' })).body
  const changes: (() => Promise<unknown>)[] = [
    () => setVersion(2, ''),
    () => setVersion(1, person.id),
    () => setVersion(2, '', 'lexicon'),
    () => setVersion(1, person.id, 'lexicon'),
    () =>
      sql(
        `insert into canaries (org, agent, env, holder, version, share, author, set_at)
         values ($1, 'desk', 'sandbox', '', 1, 100, 'a test', now())`,
        [org.id],
      ),
    () => sql(`update canaries set share = 0 where org = $1`, [org.id]),
    () => sql(`delete from canaries where org = $1`, [org.id]),
    () => sql(`insert into org_judging (org, judge) values ($1, 'judge-1')`, [org.id]),
    () => sql(`update org_judging set judge = 'judge-2' where org = $1`, [org.id]),
    () => sql(`delete from org_judging where org = $1`, [org.id]),
    () => sql(`insert into provider_keys (org, vendor, sealed) values ($1, 'one', '')`, [org.id]),
    () => sql(`update provider_keys set vendor = 'two' where org = $1`, [org.id]),
    () => sql(`delete from provider_keys where org = $1`, [org.id]),
    () =>
      sql(
        `insert into environment_provider_keys (org, env, vendor, sealed) values ($1, 'production', 'one', '')`,
        [org.id],
      ),
    () => sql(`update environment_provider_keys set env = 'sandbox' where org = $1`, [org.id]),
    () => sql(`delete from environment_provider_keys where org = $1`, [org.id]),
    () =>
      sql(
        `insert into model_endpoints (org, env, name, base_url, wire, model, created_at, changed_at, tried_at)
         values ($1, 'sandbox', 'mine', 'https://models.example.com', 'chat', 'small', now(), now(), now())`,
        [org.id],
      ),
    () => sql(`update model_endpoints set name = 'other' where org = $1`, [org.id]),
    () => sql(`delete from model_endpoints where org = $1`, [org.id]),
    () => sql(`update providers_row set document = document`),
    () => sql(`insert into agents (org, slug, created_at) values ($1, 'later', now())`, [org.id]),
  ]
  for (const change of [async () => {}, ...changes]) {
    await change()
    for (const named of [null, 'call_new', call, null]) {
      const fresh = await readBy(new CallSources(alive), named)
      for (const sources of remembering) assert.deepEqual(await readBy(sources, named), fresh, String(change))
    }
  }
})

test('settings that were read once are read again by asking whether they still hold', async () => {
  const texts: string[] = []
  const recording: Pick<Database, 'row'> = {
    row: (query, ...values) => (texts.push(query.text), database.row(query, ...values)),
  }
  const sources = new CallSources(alive)
  const read = () => sources.read(recording as Database, scope, null)
  const first = await read()
  assert.equal(texts.length, 2)
  const again = await read()
  assert.equal(texts.length, 3)
  assert.equal(again.scopes, first.scopes)
  assert.throws(() => Object.assign(first.scopes[0] ?? {}, { holder: 'another' }), TypeError)
  await setVersion(50, '')
  await read()
  assert.equal(texts.length, 5)
})

test('what a transaction changed and took back is remembered by nobody', async () => {
  const sources = new CallSources(alive)
  const before = await readBy(sources, null)
  const undone = database.transaction(async (tx) => {
    await tx.row(
      statement(
        `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
         values ('settings', $1, 'desk', 'sandbox', $2, 90, 'a test', now(), '{"language": "undone"}')`,
      ),
      org.id,
      person.id,
    )
    const { scopes } = await sources.read(tx, scope, null)
    assert.equal(scopesRun(null, scopes, null)[0]?.version, 90)
    throw new Error('taken back')
  })
  await assert.rejects(undone, /taken back/)
  assert.deepEqual(await readBy(sources, null), before)
})

test('of settings set at once from two sides, the one that was set last is read by whoever asks after it', async () => {
  const other = await deployment.another()
  const read = async (sources: CallSources, own: Database) =>
    scopesRun(null, (await sources.read(own, scope, null)).scopes, null).at(-1)?.version ?? 0
  let newest = 100
  const keepSetting = async (side: CallSources, own: Database) => {
    for (let round = 0; round < 25; round += 1) {
      const version = (newest += 1)
      await setVersion(version, '')
      const seen = await read(side, own)
      assert.ok(seen >= version, `${seen} was read after ${version} was set`)
    }
  }
  const [one, two] = [new CallSources(alive), new CallSources(alive)]
  await Promise.all([keepSetting(one, database), keepSetting(two, other.gateway.services.database)])
  assert.deepEqual([await read(one, database), await read(two, database)], [newest, newest])
})

test('what is remembered has a bound, and what was used last stays', () => {
  const settings = { is_agent_named: true, scopes: [], lexicon: null, judging: null, own: [] }
  const memory = new SettingsMemory(100)
  const keep = (name: string, bytes: number) => memory.keep(name, { epoch: 1, settings, bytes })
  keep('a', 40)
  keep('b', 40)
  assert.equal(memory.of('a', 1), settings)
  keep('c', 40)
  const kept = () => ['a', 'b', 'c', 'd'].filter((name) => memory.of(name, 1))
  assert.deepEqual(kept(), ['a', 'c'])
  assert.equal(memory.of('a', 2), undefined)
  keep('a', 50)
  assert.deepEqual(kept(), ['a', 'c'])
  keep('d', 101)
  assert.deepEqual(kept(), [])
})
