import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const { deployment, fake, asked, ...trials } = await startTrialDeployment()
after(() => trials[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client } = await org.person('admin')

const set = (agent: string, llm: string) =>
  client.put(`/v1/agents/${agent}/settings`, { config: { llm }, if_version: 0 })

test('a realtime model is tried by one word that it says aloud, and neither ears nor voice are tried (S-192, SD-60)', async () => {
  const done = await set('tried', 'alpha/live-1')
  assert.equal(done.status, 200, done.text)
  const said = JSON.parse(fake.seen.at(-1)?.body.toString() ?? '') as Record<string, unknown>
  assert.deepEqual(asked(), ['realtime'])
  assert.equal(said['built'], 'Live')
  assert.deepEqual([said['type'], said['instructions']], ['reply', 'Answer with one word.'])
})

test('a realtime model that says no word is refused in the words of its vendor, and nothing is kept (S-197)', async () => {
  const brought = await client.put('/v1/provider-keys/alpha', { key: 'own-mark-0123456789' })
  assert.equal(brought.status, 200, brought.text)
  const refused = await set('refused', 'alpha/live-silent')
  assert.equal(refused.status, 400)
  assert.equal(refused.body.detail, 'alpha refused: no sound today')
  assert.deepEqual((await client.get('/v1/agents/refused/settings/history')).body.versions, [])
})
