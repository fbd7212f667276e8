import { knobs, wordsKnobs } from '@switchroom/contract/knobs'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake } = trial
const org = await deployment.newOrg()
const { client: developer } = await org.person('developer')

let agents = 0
/** An agent without settings, and a way to set it as any caller. */
function newAgent() {
  agents += 1
  const settings = `/v1/agents/agent-${agents}/settings`
  return {
    settings,
    set: (client: Client, config: object, ifVersion = 0, more: object = {}) =>
      client.put(settings, { config, if_version: ifVersion, ...more }),
  }
}

test('a words key sets the opening’s words and memory, and everything else is carried over as it is (S-211, S-212, S-214, S-215, S-225, S-359, ST-032, ST-040, ST-041, ST-045, SD-29)', async () => {
  const { settings, set } = newAgent()
  const { client: supervisor, id } = await org.person('supervisor')
  await set(developer, { llm: 'beta' }, 0, { team: true })
  const old = {
    turn: { eager_eot_threshold: 0.95, eot_threshold: 0.95 },
    stt: 'beta',
    greeting: { say: 'a' },
    memory: { remember: 'b' },
  }
  await deployment.sql(
    `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
     values ('settings', $1, $2, 'sandbox', $3, 1, 'before', now(), $4)`,
    [org.id, settings.split('/')[3], id, JSON.stringify(old)],
  )
  fake.mode = 'hang'
  const first = await set(supervisor, { greeting: { say: 'Hello' } }, 1)
  assert.equal(first.status, 200, first.text)
  const { turn, stt } = old
  assert.deepEqual(first.body.yours.config, { turn, stt, greeting: { say: 'Hello' } })
  const whole = { ...first.body.yours.config, memory: { forget: [] } }
  assert.deepEqual((await set(supervisor, whole, 2)).body.yours.config, whole)
  const { client: pipeline } = await org.person('developer')
  refused(await set(pipeline, { turn: { eot_threshold: 0.95 } }), 400, /outside/)
})

test('a server token that opens words alone is a words key too (SD-29)', async () => {
  const { set } = newAgent()
  const wanted = { label: 'words', env: 'sandbox', scopes: ['words'] }
  const { body } = await deployment.operator.post(`/v1/ops/orgs/${org.slug}/keys`, wanted)
  const token = deployment.anonymous.as(body.key)
  refused(
    await set(token, { max_duration_s: 5 }),
    403,
    "`max_duration_s`: the pipeline's, and this key opens words alone",
  )
  assert.equal((await set(token, { greeting: { say: 'Hi' } })).status, 200)
})

test('a words key is refused by name whatever else it sets, before the values are judged (S-217, S-218, S-219, S-220, S-221, S-222, S-223, S-224, S-425, ST-042, ST-043, ST-044)', async () => {
  const { set } = newAgent()
  const { client } = await org.person('supervisor')
  refused(
    await set(client, { turn: {}, llm: '', greeting: { say: '' } }),
    403,
    "`llm`, `turn`: the pipeline's, and this key opens words alone",
  )
  for (const knob of knobs.filter((name) => !wordsKnobs.includes(name)))
    refused(
      await set(client, { [knob]: 'anything' }),
      403,
      `\`${knob}\`: the pipeline's, and this key opens words alone`,
    )
  refused(await set(client, { greeting: { say: 'a', reply: 'b' } }), 400, /not with both/)
})
