import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import {
  endpointKey,
  startEndpointDeployment,
} from '@switchroom/gateway/testing/providers/endpoint-deployment'
import { Machine } from '../../testing/terminal.ts'

const endpoints = await startEndpointDeployment()
after(() => endpoints[Symbol.asyncDispose]())
const { deployment, fake } = endpoints
fake.reply = () => ({ text: ['Yes'] })

test('a model endpoint is created with a key that is never shown, changed, tried and deleted', async (t) => {
  const { key, client } = await (await deployment.newOrg()).person('admin')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const none = await machine.run(['endpoints'])
  assert.deepEqual(
    [none.status, none.stderr],
    [0, 'No model endpoints. Create one with svc endpoints create.\n'],
  )
  const early = await machine.run(['endpoints', 'create', 'llama', '--model', 'llama-3.3'])
  assert.deepEqual([early.status, early.stderr], [2, 'svc: --url is missing\n'])

  const create = ['endpoints', 'create', 'llama', '--url', fake.url, '--model', 'llama-3.3']
  const wrong = await machine.run(create, 'sk-wrong-0123456789\n')
  assert.deepEqual(
    [wrong.status, wrong.stderr],
    [1, 'svc: the endpoint refused: Incorrect API key provided: ***.\n'],
  )
  const terminal = machine.open(create)
  await terminal.shows('Key of llama: ')
  terminal.type(`${endpointKey}\r`)
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  assert.ok(!text.includes(endpointKey), text)
  assert.match(text, /Created\. Use it with svc settings set <agent> llm=custom\/llama/)
  const listed = await machine.run(['endpoints'])
  assert.equal(listed.stdout.split('\n').at(-2), `custom/llama\t${fake.url}\tllama-3.3\tchat\t\tyes`)
  assert.deepEqual(await machine.json(['endpoints']), done(await client.get('/v1/model-endpoints')))

  const changed = await machine.run(['endpoints', 'change', 'llama', '--wire', 'responses'])
  assert.deepEqual([changed.status, changed.stdout], [0, 'Changed custom/llama.\n'])
  const replaced = await machine.run(['endpoints', 'change', 'llama', '--new-key'], `${endpointKey}\n`)
  assert.equal(replaced.status, 0, replaced.stderr)
  const both = await machine.run(['endpoints', 'change', 'llama', '--new-key', '--no-key'])
  assert.deepEqual([both.status, both.stderr], [2, 'svc: give --new-key or --no-key, not both\n'])
  const tried = await machine.run(['endpoints', 'try', 'llama'])
  assert.match(tried.stdout, /^custom\/llama answered after \d+ ms\.\n$/)
  fake.kind = { ...fake.kind, key: null }
  const keyless = await machine.json(['endpoints', 'change', 'llama', '--no-key'])
  assert.deepEqual([keyless.keyed, keyless.wire], [false, 'responses'])

  const deleted = await machine.run(['endpoints', 'delete', 'llama'])
  assert.deepEqual([deleted.status, deleted.stdout], [0, 'Deleted custom/llama.\n'])
  const twice = await machine.run(['endpoints', 'delete', 'llama'])
  assert.deepEqual(
    [twice.status, twice.stderr],
    [1, 'svc: this org has no model endpoint llama in sandbox\n'],
  )
})
