import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Attempt, Verdict } from '@switchroom/contract/evals'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { entriesOf } from '../../../testing/calls/chat-deployment.ts'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { scenario, startEvalDeployment } from '../../../testing/evals/eval-deployment.ts'
import { hangs } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

const evals = await startEvalDeployment()
after(() => evals[Symbol.asyncDispose]())
const { deployment, client, model, org } = evals

beforeEach(() => {
  model.reply = ({ messages }) => `To ${messages.at(-1)?.content}.`
})

const attemptsOf = async (run: string) =>
  done(await client.get(`/v1/evals/runs/${run}/attempts`)).attempts as Attempt[]
const answers = (verdicts: readonly Verdict[]) => verdicts.map(({ kind, answer, why }) => [kind, answer, why])

test('a run calls the agent with what a scenario says, and holds the call against what it expects', async () => {
  const tools = [
    { name: 'time', description: 'tells the time', parameters: { type: 'object', properties: {} } },
  ]
  const { slug, app } = await evals.newAgent({ tools })
  app.socket.on('message', (data: Buffer) => {
    const { type, call, data: asked } = JSON.parse(data.toString())
    if (type === 'llm.toolCall')
      app.send({ type: 'tool.result', call, id: asked.toolCalls[0].id, result: { time: '12:00' } })
  })
  model.reply = ({ messages }) => {
    const { role, content } = messages.at(-1) ?? {}
    if (role === 'tool') return 'It is noon in Madrid.'
    return content?.includes('time')
      ? { calls: [{ name: 'time', arguments: { zone: 'Europe/Madrid' } }] }
      : 'You are welcome.'
  }
  const run = await evals.start({
    agent: slug,
    definitions: [
      scenario('noon', {
        turns: [{ say: 'What time is it in Madrid?' }, { wait_s: 0.1 }, { say: 'Thank you' }],
        expect: [
          {
            tool: 'time',
            arguments: { properties: { zone: { const: 'Europe/Madrid' } }, required: ['zone'] },
            times: 1,
          },
          { no_tool: 'person' },
          { order: [{ type: 'user.message' }, { tool: 'time' }, { type: 'agent.message' }] },
          { said: '(?i)noon' },
          { not_said: 'midnight' },
          { ended_by: 'caller' },
          { latency_below_ms: 60_000 },
          { language: 'en' },
        ],
      }),
      scenario('midnight', {
        turns: [{ say: 'What time is it in Madrid?' }],
        expect: [
          { said: 'midnight' },
          { tool: 'time', arguments: { properties: { zone: { const: 'UTC' } } } },
        ],
      }),
    ],
  })
  assert.deepEqual(
    [run.state, run.against, run.config_version, run.counts.total],
    ['running', 'team', null, 2],
  )
  const over = await evals.over(run.id)
  assert.deepEqual(over.counts, { total: 2, passed: 1, failed: 1, errors: 0, cancelled: 0 })
  const [noon, midnight] = await attemptsOf(run.id)
  assert.deepEqual(
    noon?.verdicts.filter(({ answer }) => answer !== 'yes'),
    [],
  )
  assert.equal(noon?.latencies_ms.length, 2)
  assert.deepEqual(answers(midnight?.verdicts ?? []), [
    ['said', 'no', 'none of 1 messages matches'],
    ['tool', 'no', 'time is called, but zone is not "UTC"'],
  ])
  const log = await entriesOf(deployment, noon?.call ?? '', 'user.message', 'agent.message', 'call.ended')
  assert.deepEqual(
    log.map(({ data }) => data.text ?? data.by),
    ['What time is it in Madrid?', 'It is noon in Madrid.', 'Thank you', 'You are welcome.', 'caller'],
  )
  const started = await app.nextOf('chat.started')
  assert.equal(started.data.call.test, true)

  const report = await evals.report(run.id)
  assert.deepEqual([report.pass.passed, report.pass.of, report.pass.rate], [1, 2, 0.5])
  assert.deepEqual(
    report.failures.map(({ scenario: name, expectation, call, seq }) => [name, expectation, call, seq]),
    [
      ['midnight', 'the agent says midnight', midnight?.call, midnight?.verdicts[0]?.seqs[0]],
      [
        'midnight',
        'calls time with {"properties":{"zone":{"const":"UTC"}}}',
        midnight?.call,
        midnight?.verdicts[1]?.seqs[0],
      ],
    ],
  )
  assert.equal(report.latency.answers, 3)
})

test('the progress of a run is streamed, and each call is made once however many gateways there are', async () => {
  const other = await deployment.another()
  const { slug } = await evals.newAgent()
  const definitions = Array.from({ length: 10 }, (_, n) =>
    scenario(`s${n}`, { turns: [{ say: `Hello ${n}` }] }),
  )
  const run = await evals.start({ agent: slug, definitions, times: 3, concurrency: 10 })
  const reader = await EventReader.open(`${other.url}/v1/evals/runs/${run.id}/events`, {
    authorization: `Bearer ${(await org.serverToken('sandbox')).key}`,
  })
  const over = await evals.over(run.id)
  assert.deepEqual(over.counts, { total: 30, passed: 30, failed: 0, errors: 0, cancelled: 0 })
  const { rows } = await deployment.sql(
    'select count(distinct call)::int as calls, max(claims) as claims from eval_attempts where run = $1',
    [run.id],
  )
  assert.deepEqual(rows[0], { calls: 30, claims: 1 })
  await until('the stream ends', () => reader.isEnded)
  const counted = reader.events.map(({ data }) => data.run.counts.passed as number)
  assert.deepEqual(
    counted,
    counted.toSorted((one, later) => one - later),
  )
  assert.deepEqual([reader.events.at(-1)?.data.run, new Set(reader.types)], [over, new Set(['progress'])])
})

test('a run that is cancelled makes no more calls, and ends those under way', async () => {
  const { slug } = await evals.newAgent()
  model.reply = () => hangs
  const definitions = [scenario('one'), scenario('two'), scenario('three')]
  const run = await evals.start({ agent: slug, definitions, concurrency: 2 })
  const callsOf = async () => (await attemptsOf(run.id)).flatMap(({ call }) => call ?? [])
  const calls = await until('two are made', async () => {
    const made = await callsOf()
    return made.length === 2 && made
  })
  const cancelled = done(await client.post(`/v1/evals/runs/${run.id}/cancel`))
  assert.deepEqual([cancelled.state, cancelled.counts.cancelled], ['cancelled', 3])
  for (const call of calls)
    await until(
      'the call ends',
      async () => done(await client.get(`/v1/calls/${call}/state`)).state === 'ended',
    )
  assert.deepEqual(await callsOf(), calls)
  refused(await client.post(`/v1/evals/runs/${run.id}/cancel`), 409, `run ${run.id} is cancelled already`)
})

test('a run without room among the calls of its org waits for it', async () => {
  const { slug } = await evals.newAgent()
  const quota = (most: number | null) =>
    deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, concurrent_calls: most })
  done(await quota(1))
  const held = await (await evals.newAgent()).chat()
  const run = await evals.start({ agent: slug, definitions: [scenario('waits')] })
  await until('it was put off', async () => {
    const { rows } = await deployment.sql('select state, claims from eval_attempts where run = $1', [run.id])
    return rows[0].claims > 0 && rows[0].state === 'waiting'
  })
  done(await quota(null))
  assert.equal((await evals.over(run.id)).counts.passed, 1)
  await held.close()
})

test('a call that fails is an error of its scenario, with the sentence', async () => {
  const { slug, app } = await evals.newAgent()
  const run = await evals.start({ agent: slug, definitions: [scenario('ends', { expect: [{ said: 'x' }] })] })
  await evals.over(run.id)
  const quota = (most: number | null) =>
    deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, messages: most })
  done(await quota(0))
  const other = await evals.start({ agent: slug, definitions: [scenario('past-quota')] })
  assert.deepEqual((await evals.over(other.id)).counts, {
    total: 1,
    passed: 0,
    failed: 0,
    errors: 1,
    cancelled: 0,
  })
  const [attempt] = await attemptsOf(other.id)
  assert.match(attempt?.why ?? '', /has used its 0 messages of the last 24 hours in the sandbox/)
  assert.match((await evals.report(other.id)).failures[0]?.why ?? '', /has used its 0 messages/)
  done(await quota(null))
  await app.close()
})

test('every call of a run has the settings that the run began with, or the version it names', async () => {
  const { slug } = await evals.newAgent()
  const set = async (say: string, ifVersion: number) =>
    done(
      await client.put(`/v1/agents/${slug}/settings`, {
        config: { greeting: { say } },
        if_version: ifVersion,
      }),
    )
  await set('First.', 0)
  await set('Second.', 1)
  const greeted = (word: string) => scenario('greets', { expect: [{ said: word }] })
  const newest = await evals.start({ agent: slug, definitions: [greeted('^Second')] })
  assert.equal(newest.config_version, 2)
  const first = await evals.start({
    agent: slug,
    against: 'version',
    version: 1,
    definitions: [greeted('^First')],
  })
  assert.equal(first.config_version, 1)
  assert.equal((await evals.over(newest.id)).counts.passed, 1)
  assert.equal((await evals.over(first.id)).counts.passed, 1)
  const comparison = done(await client.get(`/v1/evals/runs/${newest.id}/comparison?with=${first.id}`))
  assert.deepEqual(
    comparison.scenarios.map(({ name, change }: { name: string; change: string }) => [name, change]),
    [['greets', 'same']],
  )
})

test('a model that greets is heard out before the caller speaks', async () => {
  const { slug } = await evals.newAgent({ declares: { greeting: { reply: 'Greet them.' } } })
  model.reply = ({ messages }) => (messages.length === 1 ? 'Good day.' : 'Fine.')
  const expect = [{ order: [{ type: 'agent.message' }, { type: 'user.message' }, { type: 'agent.message' }] }]
  const run = await evals.start({ agent: slug, definitions: [scenario('greeted', { expect })] })
  assert.equal((await evals.over(run.id)).counts.passed, 1)
})

test('an agent that hangs up ends the call, and the caller says nothing more', async () => {
  const { slug } = await evals.newAgent({ declares: { hangup: { when: 'they say goodbye' } } })
  model.reply = ({ tools = [] }) => ({ text: 'Bye.', calls: [{ name: tools[0]?.function.name ?? '' }] })
  const definition = scenario('bye', {
    turns: [{ say: 'Goodbye' }, { say: 'Are you there?' }],
    expect: [{ ended_by: 'agent' }, { not_said: 'there', by: 'caller' }],
  })
  const run = await evals.start({ agent: slug, definitions: [definition] })
  assert.equal((await evals.over(run.id)).counts.passed, 1)
})
