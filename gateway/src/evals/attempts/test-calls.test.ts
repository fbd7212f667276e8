import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import type { AppClient } from '../../../testing/agents/app-client.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { entriesOf } from '../../../testing/calls/chat-deployment.ts'
import { scenario, startEvalDeployment } from '../../../testing/evals/eval-deployment.ts'
import { metricValues } from '../../../testing/http/metric-values.ts'

const evals = await startEvalDeployment()
after(() => evals[Symbol.asyncDispose]())
const { deployment, client, model } = evals

beforeEach(() => {
  model.reply = () => 'Fine.'
})

const countedBy = async (name: string) => metricValues((await deployment.metrics.get('/metrics')).text, name)

/** What the app does with a call as it begins. */
function whenBegun(app: AppClient, act: (call: { id: string; test?: boolean }) => object) {
  app.socket.on('message', (data: Buffer) => {
    const { type, data: told } = JSON.parse(data.toString())
    if (type === 'user.message') app.send(act({ id: JSON.parse(data.toString()).call, ...told }))
  })
}

test('a test is marked, and left out of lists, metrics and webhooks', async () => {
  const { slug } = await evals.newAgent()
  const { rows: before } = await deployment.sql('select count(*)::int as count from webhook_events')
  await deployment.sql(
    `insert into webhook_endpoints (id, org, env, url, description, sealed, created_at, changed_at)
     values ('whk_tests', $1, 'sandbox', 'https://example.com', '', '', now(), now())`,
    [evals.org.id],
  )
  const turns = await countedBy('switchroom_turns_total')
  const ended = await countedBy('switchroom_calls_ended_total')
  const run = await evals.start({ agent: slug, definitions: [scenario('marked')] })
  await evals.over(run.id)
  const [{ call }] = done(await client.get(`/v1/evals/runs/${run.id}/attempts`)).attempts
  assert.match(call, /^eval_/)
  const listed = async (query: string) =>
    done(await client.get(`/v1/sessions?agent=${slug}${query}`)).sessions.map(
      (session: { call: string; test: boolean }) => [session.call, session.test],
    )
  assert.deepEqual(await listed(''), [])
  assert.deepEqual(await listed('&test=true'), [[call, true]])
  refused(await client.get('/v1/sessions?test=perhaps'), 400, 'test is true or false')
  assert.equal(done(await client.get(`/v1/calls/${call}/state`)).test, true)
  assert.deepEqual(await countedBy('switchroom_turns_total'), turns)
  assert.deepEqual(await countedBy('switchroom_calls_ended_total'), ended)
  const { rows } = await deployment.sql('select count(*)::int as count from webhook_events')
  assert.equal(rows[0].count, before[0].count)
  // The same endpoint is told of a call.
  const chat = await evals.newAgent().then(({ chat: open }) => open())
  await chat.close()
  const { rows: told } = await deployment.sql('select count(*)::int as count from webhook_events')
  assert.ok(told[0].count > rows[0].count)
})

test('a test rings nobody: a transfer counts as done, and a callback is noted in its own log alone', async () => {
  const transferring = await evals.newAgent()
  whenBegun(transferring.app, ({ id }) => ({
    type: 'call.transfer',
    call: id,
    to: '+34911234567',
    kind: 'warm',
  }))
  const put = scenario('through', { expect: [{ transferred_to: '+34911234567' }, { ended_by: 'agent' }] })
  const first = await evals.start({ agent: transferring.slug, definitions: [put] })
  assert.equal((await evals.over(first.id)).counts.passed, 1)
  const { rows } = await deployment.sql('select count(*)::int as count from dials')
  assert.equal(rows[0].count, 0)

  const calling = await evals.newAgent()
  whenBegun(calling.app, ({ id }) => ({ type: 'call.callback', call: id, number: '+34911234567' }))
  const second = await evals.start({
    agent: calling.slug,
    definitions: [scenario('back', { turns: [{ say: 'One' }, { say: 'Two' }] })],
  })
  await evals.over(second.id)
  const [{ call }] = done(await client.get(`/v1/evals/runs/${second.id}/attempts`)).attempts
  assert.ok((await entriesOf(deployment, call, 'callback.requested')).length > 0)
  assert.deepEqual(done(await client.get(`/v1/callbacks?agent=${calling.slug}`)).callbacks, [])
})

test('no caller’s call is named as a test is', async () => {
  const { client: app } = await evals.org.serverToken('sandbox', { scopes: ['app'] })
  refused(
    await app.get('/v1/agents/desk/config?for_call=eval_mine'),
    400,
    'for_call begins with eval_, as only tests do: name the call otherwise',
  )
})
