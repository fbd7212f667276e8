import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('a lexicon says how the voice says a word and what the ears must know, and reads back so (S-009)', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('developer')
  const path = '/v1/agents/desk/lexicon'
  const lexicon = { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Nguyễn', 'Ana'] }
  const answer = await client.put(path, { lexicon, if_version: 0 })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body.yours.lexicon, lexicon)
  assert.deepEqual((await client.get(path)).body.yours.lexicon, lexicon)
})
