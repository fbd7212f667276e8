import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { expectedOf, settingsCase, type ScopeHistory } from '../../../testing/agents/settings-histories.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const person = await org.person('developer')
const token = await org.serverToken('sandbox')
const live = await org.serverToken('production')
const askers = { person: person.client, token: token.client, production: live.client }
const app = await AppClient.connect(deployment.url, token.key)

/** Written as an earlier version of the program might have: nothing judges it. */
async function keep(agent: string, env: string, holder: string, history: ScopeHistory) {
  const insert = async (kind: string, contents: object[]) =>
    deployment.sql(
      `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
       select $1, $2, $3, $4, $5, version, 'a test', now(), content
       from unnest($6::json[]) with ordinality as kept (content, version)`,
      [kind, org.id, agent, env, holder, contents.map((content) => JSON.stringify(content))],
    )
  await insert('settings', history.versions)
  await insert('lexicon', history.lexicons)
  if (history.canary)
    await deployment.sql(
      `insert into canaries (org, agent, env, holder, version, share, author, set_at)
       values ($1, $2, $3, $4, $5, $6, 'a test', now())`,
      [org.id, agent, env, holder, history.canary.version, history.canary.share],
    )
}

/** Every scope is set anew, whether or not it ever was, and every canary picks the calls it did not. */
async function changeEverything(agent: string) {
  await deployment.sql(
    `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
     select kind, $1, $2, env, holder, 99, 'a test', now(), content
     from (values ('sandbox', $3), ('sandbox', ''), ('production', '')) as scopes (env, holder),
       (values ('settings', '{"language": "later"}'::json), ('lexicon', '{"said": [], "heard": ["later"]}'))
         as kinds (kind, content)`,
    [org.id, agent, person.id],
  )
  await deployment.sql('update canaries set share = 100 - share where agent = $1', [agent])
}

test('whatever is set, declared and picked, a worker receives what the documents say, and the same when it asks again (S-032, S-033, S-034, S-038, S-094, S-104, S-136, S-139, SD-09, SD-10, SD-33, SD-34, SD-37)', async () => {
  let calls = 0
  await fc.assert(
    fc.asyncProperty(settingsCase, async (asked) => {
      const agent = new TestAgent(token.client)
      const { declared, hears } = asked
      const frame = await app.register(agent.slug, { declares: { ...declared, ...(hears && { hears }) } })
      assert.equal(frame.type, 'agent.registered', JSON.stringify(frame))
      await keep(agent.slug, 'sandbox', person.id, asked.scopes.own)
      await keep(agent.slug, 'sandbox', '', asked.scopes.team)
      await keep(agent.slug, 'production', '', asked.scopes.production)

      calls += 1
      const call = asked.call === null ? null : `${asked.call}-${calls}` // an id is one call's for ever
      const client = askers[asked.asker]
      const expected = expectedOf({ ...asked, call })
      const first = await agent.config(client, call ?? undefined)
      assert.deepEqual(told(first), expected)
      if (call === null) return
      await changeEverything(agent.slug)
      assert.deepEqual(told(await agent.config(client, call)), expected)
      const recorded = done(await client.get(`/v1/calls/${call}/settings`))
      assert.equal(recorded.config?.version ?? null, expected.config_version)
      assert.equal(recorded.lexicon?.version ?? null, expected.lexicon_version)
    }),
    { numRuns: 80 },
  )
})

function told({
  config,
  config_version,
  lexicon,
  lexicon_version,
  canary,
  stages: {
    llm: { vendor, model },
  },
}: Awaited<ReturnType<TestAgent['config']>>) {
  return { config, config_version, lexicon, lexicon_version, canary, llm: `${vendor}/${model}` }
}
