import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { TestLogs } from '../../../testing/calls/test-logs.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { testBase } from '../../../testing/knowledge/test-bases.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

const found = (query: string, more: object = {}) => ({
  type: 'knowledge.found',
  data: {
    base: 'help',
    mode: 'auto',
    query,
    passages: [],
    best_score: 0.2,
    ms: 3,
    late: false,
    error: null,
    ...more,
  },
})
const passage = { chunk: 'c', document: 'd', name: 'n', heading: [], score: 0.8 }

test('what callers asked and a base had nothing for is listed, the newest first, as long as the log has it', async () => {
  const logs = await TestLogs.of(deployment)
  const { org } = logs
  await testBase(deployment, org.id)
  const admin = (await org.person('admin')).client
  const call = await logs.open()
  await logs.write(call, [
    found('parking'),
    found('bread', { passages: [passage] }),
    found('too late', { late: true }),
    found('broken', { error: 'it failed' }),
    found('elsewhere', { base: 'other' }),
    found('garden', { best_score: null }),
  ])
  const at = '/v1/bases/help/missed'
  const { missed, next } = done(await admin.get(at))
  assert.deepEqual(
    missed.map(({ query, agent, call: of, best_score }: Record<string, unknown>) => [
      query,
      agent,
      of,
      best_score,
    ]),
    [
      ['garden', 'desk', call.id, null],
      ['parking', 'desk', call.id, 0.2],
    ],
  )
  assert.equal(next, null)
  const first = done(await admin.get(`${at}?limit=1`))
  const second = done(await admin.get(`${at}?limit=1&after=${first.next}`))
  assert.deepEqual([...first.missed, ...second.missed], missed)
  assert.equal(second.next, null)

  const elsewhere = (await org.person('developer', { agents: ['other'] })).client
  assert.deepEqual(done(await elsewhere.get(at)).missed, [])
  await logs.erase(call, [missed[0].seq])
  assert.deepEqual(
    done(await admin.get(at)).missed.map(({ query }: { query: string }) => query),
    ['parking'],
  )
})
