import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'

const deployment = await startDeployment({ SVC_KEY_DAYS: '100' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator, anonymous } = deployment
const org = await deployment.newOrg()
const { client } = await org.person('admin', { production: true })

const run = async (asker = operator): Promise<number> => done(await asker.post('/v1/ops/retention')).keys
async function newToken(wanted: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  const asked = { label: 'a', env: 'sandbox', scopes: ['calls'], ...wanted }
  const { fingerprint, key } = done(await client.post('/v1/keys', asked))
  return { id: fingerprint, key }
}
const listed = async (id: string) =>
  done(await client.get('/v1/keys')).keys.some(
    ({ fingerprint }: { fingerprint: string }) => fingerprint === id,
  )
const revoke = async (id: string) => done(await client.post(`/v1/keys/${id}/revoke`))
const statusOf = async (key: string) => (await anonymous.as(key).get('/v1/whoami')).status

test('a key is listed for SVC_KEY_DAYS after it was revoked, and then deleted; a key in use never is (ID-116)', async () => {
  const [dead, living] = [await newToken(), await newToken()]
  await revoke(dead.id)
  clock.forward(100 * dayMs - hourMs)
  assert.deepEqual([await run(), await listed(dead.id)], [0, true])
  clock.forward(2 * hourMs)
  assert.deepEqual([await run(), await listed(dead.id), await listed(living.id)], [1, false, true])
  refused(await anonymous.as(dead.key).get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal(await statusOf(living.key), 200)
})

test('a key that expired says so for ever (ID-18)', async () => {
  const expires = new Date(clock.now().getTime() + hourMs).toISOString()
  const { id, key } = await newToken({ expires_at: expires })
  clock.forward(2000 * dayMs)
  await run()
  assert.equal(await listed(id), true)
  refused(await anonymous.as(key).get('/v1/whoami'), 401, `this key expired at ${expires}`)
})

test('a revoked key is kept for as long as a copy of it is not revoked itself, or something names it', async () => {
  const [source, named] = [await newToken(), await newToken()]
  const copy = await newToken()
  await sql(`update keys set ancestors = array[$2] where id = $1`, [copy.id, source.id])
  for (const { id } of [source, named])
    await sql('update keys set revoked_at = $2 where id = $1', [id, clock.now()])
  await sql(`insert into login_codes (digest, key, expires_at) values ('x', $1, now())`, [named.id])
  clock.forward(101 * dayMs)
  assert.equal(await run(), 0)
  refused(await anonymous.as(copy.key).get('/v1/whoami'), 401, 'this key opens nothing')
  await sql(`delete from login_codes where key = $1`, [named.id])
  await sql('update keys set revoked_at = $2 where id = $1', [copy.id, clock.now()])
  assert.equal(await run(), 2)
  assert.deepEqual(
    [await listed(source.id), await listed(named.id), await listed(copy.id)],
    [false, false, true],
  )
})

test('two gateways that run it at the same time delete each key once', async () => {
  await using there = await deployment.another()
  await sql(
    `insert into keys (id, org, digest, kind, label, env, scopes, created_by, created_at, revoked_at)
     select 'key_' || n, $1, sha256(n::text::bytea), 'server', 'old', 'sandbox', '{calls}', 'me', $2, $2
     from generate_series(1, 450) n`,
    [org.id, clock.now()],
  )
  clock.forward(101 * dayMs)
  there.clock.forward(clock.now().getTime() - Date.now())
  const deleted = await Promise.all([run(), run(there.operator)])
  deleted.push(await run())
  assert.equal(
    deleted.reduce((sum, keys) => sum + keys),
    451, // with the copy of the test before
  )
})
