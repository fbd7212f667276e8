import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import OpenAI, { AuthenticationError, AzureOpenAI, NotFoundError } from 'openai'
import type { ChatCompletionTool } from 'openai/resources/chat/completions'

// The vendor's own client is the referee of the fake that the adapter and the gateway are tested against.

const key = 'sk-endpoint-0123456789'
const apiVersion = '2025-04-01-preview'
const open = await EndpointFake.start({ model: 'llama-3.3', key })
const azure = await EndpointFake.start({ form: 'azure', model: 'desk-mini', key, apiVersion })
after(async () => {
  await open.stop()
  await azure.stop()
})
const client = new OpenAI({ baseURL: open.url, apiKey: key, maxRetries: 0 })
const azureClient = new AzureOpenAI({ endpoint: azure.url, apiKey: key, apiVersion, maxRetries: 0 })

const user = { role: 'user', content: 'Where are orders 42 and 43?' } as const
const call = { id: 'call_1', name: 'look_up', arguments: '{"order":42}' }
const parameters = { type: 'object', properties: { order: { type: 'integer' } } }
const tools: ChatCompletionTool[] = [{ type: 'function', function: { name: 'look_up', parameters } }]

for (const [name, asked, fake, model] of [
  ['an OpenAI-compatible server', client, open, 'llama-3.3'],
  ["Azure's deployment form", azureClient, azure, 'desk-mini'],
] as const) {
  test(`openai 7.53 streams a chat completion with its usage from ${name}`, async () => {
    const stream = await asked.chat.completions.create({
      model,
      messages: [user],
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    assert.equal(said, 'They are on their way.')
    assert.equal(chunks.at(-1)?.usage?.total_tokens, 17)
  })

  test(`openai 7.53 calls a tool at ${name}`, async () => {
    fake.reply = () => ({ text: ['One moment.'], calls: [call] })
    const stream = asked.chat.completions.stream({ model, messages: [user], tools })
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {}
    fake.reply = () => ({ text: ['They are', ' on their way.'] })
    assert.equal(finish_reason, 'tool_calls')
    const [made] = message?.tool_calls ?? []
    assert.ok(made?.type === 'function')
    assert.deepEqual({ id: made.id, name: made.function.name, arguments: made.function.arguments }, call)
  })

  test(`openai 7.53 reads a whole chat completion and a whole response of ${name}`, async () => {
    const { choices } = await asked.chat.completions.create({ model, messages: [user] })
    assert.equal(choices[0]?.message.content, 'They are on their way.')
    const response = await asked.responses.create({ model, input: 'Where are they?' })
    assert.equal(response.output_text, 'They are on their way.')
  })

  test(`openai 7.53 streams a response with a call of a tool from ${name}`, async () => {
    fake.reply = () => ({ text: ['One', ' moment.'], calls: [call] })
    const stream = asked.responses.stream({
      model,
      input: 'Where are they?',
      tools: [{ type: 'function', name: 'look_up', parameters, strict: false }],
    })
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const response = await stream.finalResponse()
    fake.reply = () => ({ text: ['They are', ' on their way.'] })
    assert.deepEqual(deltas, ['One', ' moment.'])
    assert.equal(response.output_text, 'One moment.')
    const made = response.output.find((item) => item.type === 'function_call')
    assert.deepEqual([made?.call_id, made?.arguments], [call.id, call.arguments])
    assert.equal(response.usage?.total_tokens, 17)
  })

  test(`openai 7.53 reads the refusals of ${name}`, async () => {
    const stranger = asked.withOptions({ apiKey: 'sk-wrong' })
    await assert.rejects(
      stranger.chat.completions.create({ model, messages: [user] }),
      (error) => error instanceof AuthenticationError && /Incorrect API key provided/.test(error.message),
    )
    await assert.rejects(
      asked.chat.completions.create({ model: 'nosuch', messages: [user] }),
      (error) => error instanceof NotFoundError && /does not exist/.test(error.message),
    )
  })
}

test("openai 7.53's Azure client asks the deployment, with the version in the query and the key in its own header", () => {
  const paths = new Set(azure.asked.map(({ path }) => path))
  assert.ok(paths.has('/openai/deployments/desk-mini/chat/completions'))
  assert.ok(paths.has('/openai/responses'))
  for (const { query, headers } of azure.asked) {
    assert.deepEqual(query, { 'api-version': apiVersion })
    assert.equal(headers.authorization, undefined)
  }
})
