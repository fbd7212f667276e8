import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { callSetup } from '@switchroom/session/setup/call-setup'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { entriesOf, lentKeys, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { hangs, refuses, type AskedModel } from '../../../testing/providers/model-fake.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model, second } = chats
const { operator, url } = deployment
const developer = await org.person('developer')

beforeEach(() => {
  model.reply = () => 'Hello.'
  second.reply = () => 'From the second.'
  model.asked.length = 0
  second.asked.length = 0
})

const setAgent = async (agent: string, config: object) =>
  done(await developer.client.put(`/v1/agents/${agent}/settings`, { config, if_version: 0, team: true }))

test('past the time for the first word the caller is asked to repeat, in their language, and the log says so (S-079, S-081, S-082, S-083, S-084, S-393, N-502, SD-58)', async () => {
  model.reply = second.reply = () => hangs
  const sentences = {
    'es-MX': 'Perdona, ¿puedes repetirlo?',
    'pt-BR': 'Desculpe, pode repetir?',
    en: 'Sorry, could you say that again?',
    de: 'Sorry, could you say that again?',
    '': 'Sorry, could you say that again?',
  }
  const answered = Object.entries(sentences).map(async ([language, sentence]) => {
    const agent = await chats.newAgent()
    await setAgent(agent.slug, { llm_timeout_s: 1, ...(language && { language }) })
    const client = await agent.chat()
    assert.equal(await client.ask('Hi'), sentence)
    const [error] = await entriesOf(deployment, client.call, 'error')
    const { waited_s, ...data } = error?.data ?? {}
    assert.deepEqual(Object.keys(data), ['code', 'vendor'])
    assert.equal(data.code, 'llm_timeout')
    assert.ok(waited_s > 0.99 && waited_s < 6, `${waited_s} s`) // without the setting it would be twelve
    const [turn] = await entriesOf(deployment, client.call, 'agent.message')
    assert.equal(turn?.data.source, 'say')
    return client
  })
  const [client] = await Promise.all(answered)
  model.reply = () => 'Here I am.'
  assert.equal(await client?.ask('Still there?'), 'Here I am.')
})

test('when a vendor fails the next of the row takes over, and the log says when a vendor fails and recovers (S-390, S-391, S-392, S-396, S-397, N-501, SD-56)', async () => {
  const payer = await deployment.newOrg()
  const token = await payer.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  const client = await ChatClient.connect(url, token.key, { agent: 'desk' })
  model.reply = () => refuses
  assert.equal(await client.ask('One'), 'From the second.')
  model.reply = () => 'Back again.'
  assert.equal(await client.ask('Two'), 'Back again.')
  assert.equal(model.asked.at(-1)?.key, lentKeys.openai)
  assert.equal(second.asked.at(-1)?.key, lentKeys.groq)
  const switched = await entriesOf(deployment, client.call, 'vendor.switched')
  assert.deepEqual(
    switched.map(({ data }) => data),
    [
      { stage: 'llm', vendor: 'openai', state: 'down', serves: 'groq' },
      { stage: 'llm', vendor: 'openai', state: 'back', serves: 'openai' },
    ],
  )
  const metrics = await entriesOf(deployment, client.call, 'metrics')
  assert.deepEqual(
    metrics.map(({ data }) => [
      data.stage,
      data.vendor,
      data.model,
      data.key,
      data.input_tokens,
      data.output_tokens,
      data.credits,
    ]),
    [
      ['llm', 'groq', 'openai/gpt-oss-20b', 'lent', 100, 20, 0.001575],
      ['llm', 'openai', 'gpt-4.1-mini', 'lent', 100, 20, 0.0084],
    ],
  )
  const { credits } = done(await operator.get(`/v1/ops/orgs/${payer.slug}/account`))
  assert.equal(credits, 1000 - 0.001575 - 0.0084)
})

test("on the org's own key a turn costs nothing, and runs with the agent's options and temperature (SD-56)", async () => {
  const owner = await deployment.newOrg()
  const manager = await owner.person('manager')
  done(await manager.client.put('/v1/provider-keys/openai', { key: 'sk-own-0123456789' }))
  const token = await owner.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  const person = await owner.person('developer')
  const config = { llm: 'openai/gpt-4o-mini', temperature: 0.4, llm_options: { top_p: 0.5 } }
  done(await person.client.put('/v1/agents/desk/settings', { config, if_version: 0, team: true }))
  model.asked.length = 0 // it was tried
  const client = await ChatClient.connect(url, token.key, { agent: 'desk' })
  await client.ask('Hi')
  const [asked] = model.asked as (AskedModel & { top_p?: number })[]
  assert.deepEqual(
    [asked?.key, asked?.model, asked?.temperature, asked?.top_p],
    ['sk-own-0123456789', 'gpt-4o-mini', 0.4, 0.5],
  )
  const [metrics] = await entriesOf(deployment, client.call, 'metrics')
  assert.deepEqual([metrics?.data.key, metrics?.data.credits], ['yours', 0])
  assert.equal(done(await operator.get(`/v1/ops/orgs/${owner.slug}/account`)).credits, 1000)
})

test("a written call runs the row's order, also past the error line, and adds nothing to what is counted (S-401, SD-57)", async () => {
  const { vendorWindow } = deployment.gateway.services
  for (let n = 0; n < 6; n += 1) {
    vendorWindow.handed('openai', `call_${n}`)
    vendorWindow.failed('openai', `call_${n}`)
  }
  assert.equal(vendorWindow.isOverLine('openai'), true)
  const agent = await chats.newAgent()
  const client = await agent.chat()
  assert.equal(await client.ask('Hi'), 'Hello.')
  assert.deepEqual([model.asked.length, second.asked.length], [1, 0])
  model.reply = () => refuses
  second.reply = () => refuses
  for (let n = 0; n < 6; n += 1) await (await agent.chat()).ask('Hi')
  assert.equal(vendorWindow.isOverLine('groq'), false)
})

test('when every model fails the caller is asked to repeat, and the log says why without a secret', async () => {
  model.reply = second.reply = () => refuses
  const client = await (await chats.newAgent()).chat()
  assert.equal(await client.ask('Hi'), 'Sorry, could you say that again?')
  const [error] = await entriesOf(deployment, client.call, 'error')
  assert.deepEqual(error?.data, {
    code: 'llm_failed',
    detail: 'openai: the fake says no; groq: the fake says no',
    vendor: 'openai',
  })
})

test('a model receives the agent’s prompt, its knowledge whole, its words and its language, and is given 12 seconds (S-080, S-085)', async () => {
  const knowledge = `# Hours\n\n${'Open from nine to five. '.repeat(200)}`
  const agent = await chats.newAgent({
    prompt: 'You are the desk.',
    declares: { says: [{ word: 'Acme', spoken: 'ak-mee' }] },
  })
  await setAgent(agent.slug, { knowledge, language: 'pt-BR' })
  const client = await agent.chat()
  await client.ask('Hi')
  const [system] = model.asked[0]?.messages ?? []
  assert.equal(system?.role, 'system')
  for (const part of ['You are the desk.', knowledge.trim(), 'Acme', 'Portuguese'])
    assert.ok(system?.content?.includes(part), part)
  const resolution = await deployment.gateway.services.callRecords.resolve(
    { org: org.id, agent: agent.slug, env: 'sandbox', holder: '' },
    client.call,
    'chat',
  )
  const config = configRun(layersOf(resolution))
  const lexicon = { said: [], heard: [] }
  const settings = { config, lexicon, prompt: null, tools: [], facts: [], models: [] }
  const { instructions } = callSetup(deployment.gateway.services.vendors, settings)
  assert.equal(instructions.llmTimeoutMs, 12_000)
})
