import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { trunkPresets } from '@switchroom/contract/trunk-presets'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('each preset is an account once what only its owner knows is filled in, and has a page', async () => {
  const { client } = await (await deployment.newOrg()).person('admin')
  for (const { name, guide, fields, fill } of trunkPresets) {
    assert.equal(fields.addresses === undefined, fill.includes('addresses'), name)
    const owned = { username: name, password: 'a word', addresses: ['8.8.8.8'] }
    const { networks, sip } = done(await client.put('/v1/carrier', { kind: 'sip', ...owned, ...fields }))
    assert.equal(networks.length, (fields.addresses ?? owned.addresses).length, name)
    assert.deepEqual(
      [sip.auth, sip.number_form, sip.outbound_host],
      [fields.auth, fields.number_form, fields.outbound_host],
    )
    assert.ok(existsSync(join(import.meta.dirname, '../../../..', guide)), guide)
  }
})

test('the preset of the API carrier has the networks of the catalogue', () => {
  const twilio = trunkPresets.find(({ name }) => name === 'twilio')
  const { carrierCatalogue } = deployment.gateway.services
  assert.deepEqual(twilio?.fields.addresses, carrierCatalogue.networksOf('apicarrier'))
})
