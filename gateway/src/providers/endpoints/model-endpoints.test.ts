import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { endpointKey, startEndpointDeployment } from '../../../testing/providers/endpoint-deployment.ts'

const endpoints = await startEndpointDeployment()
after(() => endpoints[Symbol.asyncDispose]())
const { deployment, fake, wanted, create } = endpoints
const at = '/v1/model-endpoints'

beforeEach(() => {
  fake.reply = () => ({ text: ['Yes'] })
  fake.asked.length = 0
})

async function newManager() {
  const org = await deployment.newOrg()
  return { org, manager: await org.person('manager') }
}

test('an endpoint is kept after one request that it answers, and its key is not shown', async () => {
  const { manager } = await newManager()
  const made = await manager.client.post(at, wanted('llama', { base_url: `${fake.url}/` }))
  assert.equal(made.status, 201, made.text)
  const { created_at, changed_at, tried_at, ...shown } = made.body
  assert.deepEqual(shown, {
    name: 'llama',
    llm: 'custom/llama',
    base_url: fake.url,
    wire: 'chat',
    model: 'llama-3.3',
    azure_api_version: null,
    keyed: true,
  })
  assert.deepEqual([changed_at, tried_at], [created_at, created_at])
  assert.equal(fake.asked.length, 1)
  assert.deepEqual(fake.asked[0]?.body['messages'], [{ role: 'user', content: 'Answer with one word.' }])
  assert.deepEqual((await manager.client.get(at)).body, { endpoints: [made.body] })
  assert.deepEqual((await manager.client.get(`${at}/llama`)).body, made.body)
})

test('the Responses wire and Azure’s deployment form are kept and asked as such', async () => {
  const { manager } = await newManager()
  await create(manager, 'responding', { wire: 'responses' })
  assert.equal(fake.asked.at(-1)?.path, '/v1/responses')
  const apiVersion = '2025-04-01-preview'
  await using azure = await EndpointFake.start({ form: 'azure', model: 'desk', key: endpointKey, apiVersion })
  const deployed = { base_url: azure.url, model: 'desk', azure_api_version: apiVersion }
  await create(manager, 'azure', deployed)
  const refusal = await manager.client.post(at, wanted('other', { ...deployed, model: 'nosuch' }))
  refused(refusal, 400, 'the endpoint refused: The API deployment for this resource does not exist.')
  const [asked] = azure.asked
  assert.equal(asked?.path, '/openai/deployments/desk/chat/completions')
  assert.deepEqual([asked?.query, asked?.headers['api-key']], [{ 'api-version': apiVersion }, endpointKey])
})

test('an endpoint that refuses or does not answer is not kept, and the refusal says what it answered', async () => {
  const { manager } = await newManager()
  refused(
    await manager.client.post(at, wanted('mine', { key: 'sk-wrong-0123456789' })),
    400,
    'the endpoint refused: Incorrect API key provided: ***.',
  )
  refused(
    await manager.client.post(at, wanted('mine', { model: 'nosuch' })),
    400,
    'the endpoint refused: The model `nosuch` does not exist.',
  )
  fake.reply = () => ({ status: 500, error: { message: 'CUDA out of memory' } })
  refused(
    await manager.client.post(at, wanted('mine')),
    502,
    'the endpoint did not answer: CUDA out of memory',
  )
  fake.reply = () => ({ text: [] })
  refused(
    await manager.client.post(at, wanted('mine')),
    502,
    'the endpoint did not answer: it ended without a word',
  )
  const gone = await EndpointFake.start()
  await gone.stop()
  refused(
    await manager.client.post(at, wanted('mine', { base_url: gone.url })),
    502,
    /^the endpoint did not answer: connect ECONNREFUSED/,
  )
  assert.deepEqual((await manager.client.get(at)).body, { endpoints: [] })
})

test('what no request could be made of is refused in a sentence', async () => {
  const { manager } = await newManager()
  const azure = { azure_api_version: '2025-04-01-preview' }
  const refusals: [object, string][] = [
    [
      { name: 'My model' },
      'name is 1 to 32 of lower-case letters, digits, - and _, and begins with a letter or digit',
    ],
    [{ wire: 'soap' }, 'wire is one of chat · responses'],
    [{ model: ' ' }, "model is 1 to 200 characters: the endpoint's own name of it"],
    [{ key: 'two words' }, 'key is 1 to 1024 printable ASCII characters without spaces'],
    [{ key: '' }, 'key is 1 to 1024 printable ASCII characters without spaces'],
    [{ azure_api_version: 'a b' }, 'azure_api_version is a version of the API, such as 2025-04-01-preview'],
    [
      { base_url: 'ftp://llm.example.com' },
      'base_url is an address of https without a user in it, of at most 500 characters',
    ],
    [
      { base_url: 'https://me:secret@llm.example.com' },
      'base_url is an address of https without a user in it, of at most 500 characters',
    ],
    [
      { base_url: 'https://desk.openai.azure.com/?api-version=1' },
      'base_url has no query: give the api-version of Azure as azure_api_version',
    ],
    [
      { base_url: 'https://llm.example.com/v1/chat/completions' },
      'base_url ends before /chat/completions or /responses: wire says which of them is asked',
    ],
    [
      { base_url: 'https://desk.openai.azure.com/openai/deployments/desk', ...azure },
      "base_url is the resource alone with azure_api_version, such as https://desk.openai.azure.com: the deployment's path is added",
    ],
    [
      { base_url: 'http://llm.example.com/v1' },
      'base_url is asked over https: http would show the key to the network',
    ],
  ]
  for (const [more, sentence] of refusals)
    refused(await manager.client.post(at, wanted('mine', more)), 400, sentence)
  refused(await manager.client.post(at, { name: 'mine' }), 422, /^base_url: /)
  assert.equal(fake.asked.length, 0)
})

test('a change is tried as a whole before it is kept, and leaves what it does not name', async () => {
  const { manager } = await newManager()
  const { client } = manager
  await create(manager, 'llama')
  const changed = done(await client.patch(`${at}/llama`, { wire: 'responses' }))
  assert.deepEqual([changed.wire, changed.model, changed.keyed], ['responses', 'llama-3.3', true])
  assert.equal(fake.asked.at(-1)?.headers.authorization, `Bearer ${endpointKey}`)
  refused(
    await client.patch(`${at}/llama`, { model: 'nosuch' }),
    400,
    'the endpoint refused: The model `nosuch` does not exist.',
  )
  refused(await client.patch(`${at}/llama`, { key: null }), 400, /^the endpoint refused: Incorrect API key/)
  assert.deepEqual((await client.get(`${at}/llama`)).body, changed)
  refused(await client.patch(`${at}/nosuch`, {}), 404, 'this org has no model endpoint nosuch in sandbox')
})

test('the kept key is sent to the host it was given for and to no other', async () => {
  const { manager } = await newManager()
  await create(manager, 'llama')
  await using other = await EndpointFake.start({ key: null })
  refused(
    await manager.client.patch(`${at}/llama`, { base_url: other.url }),
    400,
    'base_url names another host: send its key, or null, with it',
  )
  assert.equal(other.asked.length, 0)
  const moved = done(await manager.client.patch(`${at}/llama`, { base_url: other.url, key: null }))
  assert.deepEqual([moved.base_url, moved.keyed], [other.url, false])
  assert.equal(other.asked[0]?.headers.authorization, undefined)
})

test('an endpoint is tried again on demand', async () => {
  const { manager } = await newManager()
  await create(manager, 'llama')
  deployment.clock.forward(1000)
  const { first_word_ms, ...tried } = done(await manager.client.post(`${at}/llama/try`))
  assert.ok(first_word_ms >= 0)
  assert.ok(tried.tried_at > tried.changed_at)
  assert.deepEqual((await manager.client.get(`${at}/llama`)).body, tried)
  fake.reply = () => ({ status: 403, error: { message: 'quota used up' } })
  refused(await manager.client.post(`${at}/llama/try`), 400, 'the endpoint refused: quota used up')
  refused(
    await manager.client.post(`${at}/nosuch/try`),
    404,
    'this org has no model endpoint nosuch in sandbox',
  )
})

test('twenty trials in a minute are an org’s most', async () => {
  const { manager } = await newManager()
  await create(manager, 'llama')
  for (let tries = 1; tries < 20; tries += 1) done(await manager.client.post(`${at}/llama/try`))
  refused(
    await manager.client.post(`${at}/llama/try`),
    429,
    'this org tried twenty model endpoints in a minute: wait a little before the next',
  )
})

test('an endpoint is of one environment and one org', async () => {
  const { org, manager } = await newManager()
  await create(manager, 'llama')
  const admin = await org.person('admin')
  const inProduction = admin.client.in('production')
  assert.deepEqual((await inProduction.get(at)).body, { endpoints: [] })
  refused(await inProduction.delete(`${at}/llama`), 404, 'this org has no model endpoint llama in production')
  assert.equal((await inProduction.post(at, wanted('llama', { wire: 'responses' }))).status, 201)
  assert.equal((await admin.client.get(`${at}/llama`)).body.wire, 'chat')
  const stranger = await newManager()
  const elsewhere = stranger.manager.client
  assert.deepEqual((await elsewhere.get(at)).body, { endpoints: [] })
  for (const answer of [
    await elsewhere.get(`${at}/llama`),
    await elsewhere.patch(`${at}/llama`, { model: 'm' }),
    await elsewhere.post(`${at}/llama/try`),
    await elsewhere.delete(`${at}/llama`),
  ])
    refused(answer, 404, 'this org has no model endpoint llama in sandbox')
})

test('the endpoints take a key that opens providers, and for production one with production access', async () => {
  const { org, manager } = await newManager()
  await create(manager, 'llama')
  const { client } = await org.person('developer')
  const opens = /^this key does not open providers: it opens/
  refused(await client.get(at), 403, opens)
  refused(await client.get(`${at}/llama`), 403, opens)
  refused(await client.post(at, wanted('mine')), 403, opens)
  refused(await client.patch(`${at}/llama`, {}), 403, opens)
  refused(await client.post(`${at}/llama/try`), 403, opens)
  refused(await client.delete(`${at}/llama`), 403, opens)
  assert.equal((await manager.client.in('production').get(at)).status, 403)
})
