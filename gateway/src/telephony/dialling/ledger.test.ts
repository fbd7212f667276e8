import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { DialOrg } from '../../../testing/telephony/dial-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('the ledger is paged newest first, a hundred at a time (ND-48, ND-02)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  await dialOrg.rows(230, 0)
  const pages = [done(await dialOrg.client.get('/v1/org/dials'))]
  for (let { next } = pages[0]; next !== null; next = pages.at(-1).next)
    pages.push(done(await dialOrg.client.get(`/v1/org/dials?after=${next}`)))
  assert.deepEqual(
    pages.map(({ dials }) => dials.length),
    [100, 100, 30],
  )
  const ids = pages.flatMap(({ dials }) => dials.map(({ id }: { id: string }) => id))
  assert.equal(new Set(ids).size, 230)
  const { rows } = await deployment.sql('select id from dials where org = $1 order by ordinal desc', [
    dialOrg.org.id,
  ])
  assert.deepEqual(
    ids,
    rows.map(({ id }) => id),
  )
})

test('a full last page of the ledger has no next (ND-02)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  assert.deepEqual(done(await dialOrg.client.get('/v1/org/dials')), { dials: [], next: null })
  await dialOrg.rows(100, 0)
  const page = done(await dialOrg.client.get('/v1/org/dials'))
  assert.deepEqual([page.dials.length, page.next], [100, null])
})

test('the ledger is the org’s in the environment of the key (ND-48)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  await dialOrg.rows(1, 0, { to: '+34600000001' })
  await dialOrg.rows(1, 0, { to: '+34600000002', env: 'sandbox' })
  const stranger = await DialOrg.open(deployment)
  await stranger.rows(1, 0)
  const sandbox = await dialOrg.org.serverToken('sandbox', { scopes: ['calls'] })
  const dials = async (client: typeof dialOrg.client) =>
    done(await client.get('/v1/org/dials')).dials.map(({ to, env }: { to: string; env: string }) => [to, env])
  assert.deepEqual(await dials(dialOrg.client), [['+34600000001', 'production']])
  assert.deepEqual(await dials(sandbox.client), [['+34600000002', 'sandbox']])
})

test('the ledger needs `calls`, and a cursor that no page gave is 422 (ND-07, ND-02)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const { client } = await dialOrg.org.serverToken('production', { scopes: ['talk'] })
  refused(await client.get('/v1/org/dials'), 403, 'this key does not open calls: it opens talk')
  for (const cursor of ['', 'x', Buffer.from('["a"]').toString('base64url')])
    refused(
      await dialOrg.client.get(`/v1/org/dials?after=${cursor}`),
      422,
      'after: must be the next of the page before',
    )
})
