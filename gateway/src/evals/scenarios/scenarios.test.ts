import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { scenario } from '../../../testing/evals/eval-deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client } = await org.serverToken('sandbox', { scopes: ['evals'] })
const at = '/v1/evals/scenarios'

test('a scenario is kept with its agent, and every change is a version that can be read', async () => {
  const definition = scenario('hours', { description: 'asks for them' })
  const created = await client.post(at, { agent: 'desk', ...definition })
  assert.equal(created.status, 201, created.text)
  const { id, version, kind, author } = created.body
  assert.deepEqual([version, kind, author], [1, 'scripted', 'ci'])
  const changed = { ...definition, turns: [{ say: 'Good day' }] }
  assert.equal(done(await client.put(`${at}/${id}`, { ...changed, if_version: 1 })).version, 2)
  assert.deepEqual(done(await client.get(`${at}/${id}`)).definition, changed)
  assert.deepEqual(done(await client.get(`${at}/${id}?version=1`)).definition, definition)
  refused(await client.get(`${at}/${id}?version=3`), 404, 'scenario hours never had a v3')
  const { scenarios } = done(await client.get(`${at}?agent=desk`))
  assert.deepEqual([scenarios.length, scenarios[0].version, scenarios[0].name], [1, 2, 'hours'])
  refused(
    await client.put(`${at}/${id}`, { ...changed, if_version: 1 }),
    409,
    'scenario hours is at v2 now: read it again, then change it',
  )
  refused(
    await client.post(at, { agent: 'desk', ...definition }),
    409,
    `desk has a scenario hours in the sandbox already: change ${id}, or name this one otherwise`,
  )
  assert.equal((await client.delete(`${at}/${id}`)).status, 204)
  refused(await client.get(`${at}/${id}`), 404, `there is no scenario ${id}`)
})

test('another org, another environment and an agent outside a list reach no scenario (I-310)', async () => {
  const { id } = (await client.post(at, { agent: 'sales', ...scenario('mine') })).body
  const stranger = (await (await deployment.newOrg()).serverToken('sandbox')).client
  const live = (await org.serverToken('production')).client
  for (const other of [stranger, live])
    refused(await other.get(`${at}/${id}`), 404, `there is no scenario ${id}`)
  const narrowed = (await org.person('developer', { agents: ['desk'] })).client
  for (const answer of [
    await narrowed.get(`${at}/${id}`),
    await narrowed.put(`${at}/${id}`, scenario('mine')),
    await narrowed.delete(`${at}/${id}`),
    await narrowed.post(at, { agent: 'sales', ...scenario('other') }),
    await narrowed.post('/v1/evals/runs', { agent: 'sales', definitions: [scenario('other')] }),
  ])
    refused(answer, 403, 'this key works on desk alone')
  assert.deepEqual(done(await narrowed.get(at)).scenarios, [])
  const app = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  refused(await app.get(at), 403, 'this key does not open evals: it opens app')
})

test('of two scenarios of one name that are created at once on two gateways, one is kept', async () => {
  const other = await deployment.another()
  const { key } = await org.serverToken('sandbox', { scopes: ['evals'] })
  const answers = await Promise.all(
    [deployment, other].map(({ anonymous }) =>
      anonymous.as(key).post(at, { agent: 'raced', ...scenario('one') }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, next) => one - next),
    [201, 409],
  )
})

test('what a scenario says and no run would do is refused in a sentence', async () => {
  const bad = (more: object) => client.post(at, { agent: 'desk', ...scenario('bad'), ...more })
  const expect = (one: object) => bad({ expect: [one] })
  const cases: [answer: ReturnType<typeof bad>, sentence: string | RegExp][] = [
    [
      bad({ name: 'Not A Name' }),
      'name is 1 to 64 lower-case letters, digits and dashes, and begins with none',
    ],
    [bad({ turns: [] }), 'scenario bad has 1 to 100 turns'],
    [bad({ turns: [{ wait_s: 1 }] }), 'scenario bad: the caller says nothing in any turn'],
    [bad({ turns: [{ say: 'x', wait_s: 1 }] }), 'scenario bad: turns[0] has one of say and wait_s'],
    [
      bad({ turns: [{ say: ' ' }] }),
      'scenario bad: turns[0].say is 1 to 8000 characters, and not all of them blank',
    ],
    [
      bad({ turns: [{ say: 'x' }, { wait_s: 601 }] }),
      'scenario bad: turns[1].wait_s must be between 0 and 600 (got 601)',
    ],
    [
      bad({ turns: [{ keys: '12#' }] }),
      'scenario bad: turns[0] has keys, which only spoken calls have, and runs make written ones: leave it out',
    ],
    [
      bad({ caller: {} }),
      'scenario bad has caller: the fields are name, description, metadata, turns, expect',
    ],
    [bad({ expect: [] }), 'scenario bad has 1 to 50 things to expect'],
    [bad({ metadata: { long: 'x'.repeat(4090) } }), 'scenario bad: metadata is at most 4096 bytes of JSON'],
    [expect({}), /^scenario bad: expect\[0\] has exactly one of tool, no_tool, order/],
    [expect({ said: 'a', tool: 'b' }), /has exactly one of/],
    [expect({ said: '(a+)+$', times: 2 }), 'scenario bad: expect[0] has times: the fields are said, by'],
    [
      expect({ said: '(?=a)' }),
      /^scenario bad: expect\[0\]\.said is no pattern of RE2, which has no lookaround/,
    ],
    [expect({ said: 'a', by: 'nobody' }), 'scenario bad: expect[0].by is one of agent, caller'],
    [expect({ language: 'tlh' }), /^scenario bad: expect\[0\]\.language is one of ar, ca, de/],
    [expect({ ended_by: 'me' }), /^scenario bad: expect\[0\]\.ended_by is one of caller, agent/],
    [expect({ latency_below_ms: 0 }), 'scenario bad: expect[0].latency_below_ms is above 0'],
    [expect({ order: [{ tool: 'a' }] }), 'scenario bad: expect[0].order has 2 to 20 entries'],
    [expect({ order: [{}, {}] }), 'scenario bad: expect[0].order[0] has one of type and tool'],
    [
      expect({ tool: 't', arguments: { format: 'date' } }),
      /^scenario bad: expect\[0\]\.arguments has format: only type/,
    ],
    [expect({ tool: 't', arguments: { type: 'date' } }), /arguments\.type is one of object, array/],
  ]
  for (const [answer, sentence] of cases) refused(await answer, 400, sentence)
})
