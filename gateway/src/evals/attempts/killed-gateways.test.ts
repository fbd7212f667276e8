import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { entriesOf, lentKeys } from '../../../testing/calls/chat-deployment.ts'
import { scenario, startEvalDeployment } from '../../../testing/evals/eval-deployment.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { until } from '../../../testing/until.ts'

const evals = await startEvalDeployment()
after(() => evals[Symbol.asyncDispose]())
const { deployment, client, model } = evals
const settings = { SVC_PROVIDER_KEY_OPENAI: lentKeys.openai, SVC_PROVIDER_KEY_GROQ: lentKeys.groq }

test('a run of a gateway that is killed is continued by another: each call once, each line said once', async () => {
  await deployment.gateway.services.attemptTasks.stop() // the processes make the calls
  const { slug } = await evals.newAgent()
  const held = Promise.withResolvers<string>()
  model.reply = ({ messages }) => (messages.at(-1)?.content === 'Two' ? held.promise : 'Fine.')
  const turns = [{ say: 'One' }, { say: 'Two' }, { say: 'Three' }]
  const definitions = ['a', 'b', 'c'].map((name) =>
    scenario(name, { turns, expect: [{ ended_by: 'caller' }] }),
  )
  const first = await GatewayProcess.start(deployment, settings)
  try {
    const run = await evals.start({ agent: slug, definitions, concurrency: 3 })
    await until('all are under way', () => model.heard.filter((said) => said === 'user: Two').length === 3)
    await using second = await GatewayProcess.start(deployment, settings)
    await first.kill()
    held.resolve('Fine.')
    assert.deepEqual((await evals.over(run.id)).counts, {
      total: 3,
      passed: 3,
      failed: 0,
      errors: 0,
      cancelled: 0,
    })
    const { attempts } = done(await client.get(`/v1/evals/runs/${run.id}/attempts`))
    assert.equal(new Set(attempts.map(({ call }: { call: string }) => call)).size, 3)
    for (const { call } of attempts)
      assert.deepEqual(
        (await entriesOf(deployment, call, 'user.message')).map(({ data }) => data.text),
        ['One', 'Two', 'Three'],
      )
    const { rows } = await deployment.sql(
      `select count(*)::int as count from calls where test and agent = $1`,
      [slug],
    )
    assert.ok(rows[0].count === 3 && second.url)
  } finally {
    await first.kill()
  }
})
