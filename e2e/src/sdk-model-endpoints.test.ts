import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endpointKey,
  startEndpointDeployment,
} from '@switchroom/gateway/testing/providers/endpoint-deployment'
import { GatewayRefusal, ModelEndpoints } from '@switchroom/sdk'

test('a program manages the model endpoints of its org through the SDK', async () => {
  await using endpoints = await startEndpointDeployment()
  const { deployment, fake } = endpoints
  const { key } = await (await deployment.newOrg()).person('admin')
  const ours = new ModelEndpoints({ url: deployment.url, key })
  const wanted = { name: 'llama', base_url: fake.url, model: 'llama-3.3', key: endpointKey }

  await assert.rejects(ours.create({ ...wanted, model: 'nosuch' }), (error) => {
    assert.ok(error instanceof GatewayRefusal && error.status === 400)
    assert.equal(error.message, 'the endpoint refused: The model `nosuch` does not exist.')
    return true
  })
  const made = await ours.create(wanted)
  assert.equal(made.llm, 'custom/llama')
  assert.deepEqual(await ours.list(), [made])
  assert.deepEqual(await ours.read('llama'), made)
  assert.equal((await ours.change('llama', { wire: 'responses' })).wire, 'responses')
  assert.ok((await ours.try('llama')).first_word_ms >= 0)
  const inProduction = new ModelEndpoints({ url: deployment.url, key, env: 'production' })
  assert.deepEqual(await inProduction.list(), [])
  await ours.delete('llama')
  await assert.rejects(ours.read('llama'), /this org has no model endpoint llama in sandbox/)
})
