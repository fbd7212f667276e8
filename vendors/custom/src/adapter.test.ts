import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { VendorFailure } from '@switchroom/kit/failures'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, type Operation } from '@switchroom/kit/testing/conformance'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import {
  openAiShapedThinking,
  openAiShapedWire,
  type ChatWire,
} from '@switchroom/kit/testing/openai-shaped-wire'
import type { Thought } from '@switchroom/kit/vendor'
import type { Endpoint } from './endpoint.ts'

const folder = join(import.meta.dirname, '..')
const key = 'sk-endpoint-0123456789'
const apiVersion = '2025-04-01-preview'
const open = await EndpointFake.start({ key })
const azure = await EndpointFake.start({ form: 'azure', model: 'desk mini', key, apiVersion })
after(async () => {
  await open.stop()
  await azure.stop()
})

const plain: Endpoint = {
  base_url: open.url,
  wire: 'chat',
  model: 'llama-3.3',
  azure_api_version: null,
  addresses: ['127.0.0.1'],
}
const deployed = { base_url: azure.url, model: 'desk mini', azure_api_version: apiVersion }

const chat: ChatWire = {
  model: 'llama-3.3',
  besides: { stream_options: { include_usage: true } },
  callsCome: 'in pieces',
  ids: ['call_1', 'call_2'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({ error: { message: words, type: 'invalid_request_error', code: null } }),
}

/** An endpoint comes with its address among the credentials, and not as an option. */
const asEndpoint = (operation: Operation): Operation => ({
  ...operation,
  run(vendor, { options, credentials }, signal) {
    const endpoint = JSON.stringify({ ...plain, base_url: options?.['base_url'] })
    return operation.run(vendor, { model: 'mine', credentials: { ...credentials, endpoint } }, signal)
  },
})

conformance(folder, openAiShapedWire(chat), openAiShapedThinking(chat).map(asEndpoint))

async function think(endpoint: Partial<Endpoint>, more: { options?: object; key?: string } = {}) {
  const model = await vendorIn(folder)?.model({
    model: 'mine',
    knobs: { temperature: 0.3 },
    options: { ...more.options },
    credentials: { api_key: more.key ?? key, endpoint: JSON.stringify({ ...plain, ...endpoint }) },
  })
  const tool = { name: 'look_up', description: 'looks up', parameters: { type: 'object' } }
  const messages = [{ role: 'user', text: 'Where are they?' } as const]
  return Array.fromAsync(model?.think({ messages, tools: [tool] }, AbortSignal.timeout(5_000)) ?? [])
}

const call = { id: 'call_1', name: 'look_up', arguments: '{"order":42}' }
const thoughts: Thought[] = [
  { type: 'text', text: 'One' },
  { type: 'text', text: ' moment.' },
  { type: 'usage', inputTokens: 12, outputTokens: 5 },
  { type: 'call', ...call },
]

for (const [name, fake, endpoint, path] of [
  ['a chat completion', open, {}, '/v1/chat/completions'],
  ['a response', open, { wire: 'responses' }, '/v1/responses'],
  [
    "a chat completion of Azure's deployment form",
    azure,
    deployed,
    '/openai/deployments/desk%20mini/chat/completions',
  ],
  ['a response of Azure', azure, { ...deployed, wire: 'responses' }, '/openai/responses'],
] as const)
  test(`an endpoint answers ${name} with words, usage and a call of a tool`, async () => {
    fake.asked.length = 0
    fake.reply = () => ({ text: ['One', ' moment.'], calls: [call] })
    assert.deepEqual(await think(endpoint), thoughts)
    const [asked, ...more] = fake.asked
    assert.equal(more.length, 0)
    assert.equal(asked?.path, path)
    assert.deepEqual(asked?.query, fake === azure ? { 'api-version': apiVersion } : {})
    assert.equal(asked?.headers['api-key'], fake === azure ? key : undefined)
    assert.equal(asked?.headers.authorization, fake === azure ? undefined : `Bearer ${key}`)
    assert.equal(asked?.body.model, fake.kind.model)
    assert.equal(asked?.body['temperature'], 0.3)
  })

test('an endpoint without a key is asked without one', async () => {
  await using keyless = await EndpointFake.start({ key: null })
  const model = await vendorIn(folder)?.model({
    model: 'mine',
    credentials: { endpoint: JSON.stringify({ ...plain, base_url: keyless.url }) },
  })
  const said = model?.think({ messages: [{ role: 'user', text: 'Hello' }] }, AbortSignal.timeout(5_000))
  await Array.fromAsync(said ?? [])
  assert.equal(keyless.asked[0]?.headers.authorization, undefined)
})

test("an endpoint's refusal is in its own words, without the key", async () => {
  await assert.rejects(think({}, { key: 'sk-wrong-0123456789' }), (error) => {
    assert.ok(error instanceof VendorFailure && error.kind === 'refused')
    assert.equal(error.message, 'Incorrect API key provided: ***.')
    return true
  })
})

test('only the checked addresses are connected to, whatever the name resolves to', async () => {
  open.reply = () => ({ text: ['Yes'] })
  open.asked.length = 0
  const named = { base_url: `http://endpoint.invalid:${open.port}/v1` }
  assert.deepEqual((await think(named))[0], { type: 'text', text: 'Yes' })
  assert.equal(open.asked[0]?.headers.host, `endpoint.invalid:${open.port}`)
  // The name resolves to the fake; the address that was checked has nothing that listens.
  const elsewhere = { base_url: `http://localhost:${open.port}/v1`, addresses: ['127.0.0.2'] }
  await assert.rejects(think(elsewhere), /ECONNREFUSED 127\.0\.0\.2/)
  await assert.rejects(think({ addresses: ['127.0.0.2'] }), /127\.0\.0\.1 was not checked/)
  await assert.rejects(
    think({ addresses: [], unreachable: 'x resolves to nothing' }),
    /^Error: x resolves to nothing$/,
  )
  assert.equal(open.asked.length, 1)
})

test('a redirect of an endpoint is not followed', async () => {
  open.reply = () => ({ status: 307, error: { message: 'over there' } })
  open.asked.length = 0
  await assert.rejects(think({}), /over there/)
  assert.equal(open.asked.length, 1)
})

test('options of an agent go to the endpoint as they are', async () => {
  open.reply = () => ({ text: ['Yes'] })
  open.asked.length = 0
  await think({}, { options: { reasoning_effort: 'none', max_tokens: 9 } })
  await think({ wire: 'responses' }, { options: { reasoning_effort: 'none' } })
  const [inChat, inResponse] = open.asked.map(({ body }) => body)
  assert.deepEqual([inChat?.['reasoning_effort'], inChat?.['max_tokens']], ['none', 9])
  assert.deepEqual(inResponse?.['reasoning'], { effort: 'none' })
})
