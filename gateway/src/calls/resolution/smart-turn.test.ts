import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey } from '../../../testing/deployment.ts'
import { TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const token = await org.serverToken('sandbox')
const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })

test('a worker receives that a model of its own ends the turns, with any speech-to-text (S-051)', async () => {
  const agent = new TestAgent(token.client)
  for (const [version, stt] of ['alpha', 'beta'].entries()) {
    await agent.set(token.client, { stt, end_of_turn: 'smart-turn' }, version)
    const { config, stages } = await agent.config(fleet, `on-${stt}`)
    assert.deepEqual([config.end_of_turn, stages.stt.vendor], ['smart-turn', stt])
    assert.equal(stages.stt.end_of_turn, 'smart-turn')
  }
})
