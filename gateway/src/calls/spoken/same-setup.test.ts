import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import { spokenSetup } from '@switchroom/session/setup/spoken-setup'
import { runTurn } from '@switchroom/session/turn'
import { startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { hangs, refuses } from '../../../testing/providers/model-fake.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model, second } = chats
const contact = '+15559990000'

/** Answers `Hi` as a worker would: with what the gateway hands it over HTTP. */
async function answerAsWorker(slug: string): Promise<NewEntry[]> {
  const agent = new SpokenAgent(deployment, org, slug)
  await agent.route()
  const call = await agent.open({ from: contact })
  const { vendors } = deployment.gateway.services
  const setup = await spokenSetup({
    vendors,
    settings: done(await agent.fleet.get(`/v1/agents/${slug}/config?for_call=${call}`)),
    keys: done(await agent.fleet.get(`/v1/agents/${slug}/provider-keys?for_call=${call}`)),
    app: done(await agent.fleet.get(`/v1/calls/${call}/instructions`)),
    search: () => assert.fail('nothing is looked up'),
    onBrokenVendor: (error) => assert.fail(String(error)),
  })
  const kept: NewEntry[] = []
  const hi = { seq: 1, type: 'user.message', data: { text: 'Hi' } } as unknown as Entry
  const parts = {
    ...setup,
    entries: [hi],
    keep: async (entries: readonly NewEntry[]) => void kept.push(...entries),
    prepare: async () => ({}),
    runTools: async () => [],
    newMessageId: () => 'msg_1',
    nowMs: () => performance.now(),
  }
  await runTurn(parts, new AbortController().signal)
  return kept
}

test('a written and a spoken call of one agent ask the same models the same question, in the same order and as long', async () => {
  const agent = await chats.newAgent({
    prompt: 'You sell bread.',
    tools: [{ name: 'time', description: 'the time', parameters: { type: 'object' } }],
    declares: { says: [{ word: 'Acme', spoken: 'ak-mee' }] },
  })
  const developer = await org.person('developer')
  const config = {
    language: 'pt-BR',
    knowledge: 'Open from nine to five.',
    memory: { remember: 'their order', forget: ['their card'] },
    temperature: 0.4,
    llm_timeout_s: 2,
  }
  const saved = await developer.client.put(`/v1/agents/${agent.slug}/settings`, {
    config,
    if_version: 0,
    team: true,
  })
  done(saved)
  await deployment.sql(
    `insert into memories (org, env, agent, contact, id, text, learned_at)
     values ($1, 'sandbox', $2, $3, 'mem_1', 'Likes rye.', now())`,
    [org.id, agent.slug, contact],
  )
  model.asked.length = 0
  second.asked.length = 0
  model.reply = () => refuses
  second.reply = () => 'From the second.'
  const client = await agent.chat({ contact })
  assert.equal(await client.ask('Hi'), 'From the second.')
  const [written, writtenSecond] = [model.asked[0], second.asked[0]]
  await answerAsWorker(agent.slug)
  const [spoken, spokenSecond] = [model.asked.at(-1), second.asked.at(-1)]
  const system = String(written?.messages[0]?.content)
  for (const part of ['You sell bread.', 'their order', 'their card', 'Likes rye.', 'Acme'])
    assert.ok(system.includes(part), system)
  assert.deepEqual(spoken, written)
  assert.deepEqual(spokenSecond, writtenSecond)
  assert.equal(written?.temperature, 0.4)

  model.reply = second.reply = () => hangs
  const [entries] = await Promise.all([answerAsWorker(agent.slug), client.ask('Still there?')])
  const waited = entries.find(({ type }) => type === 'error')?.data
  assert.equal(waited?.['code'], 'llm_timeout')
  assert.ok(
    Number(waited?.['waited_s']) >= 1.99 && Number(waited?.['waited_s']) < 7,
    String(waited?.['waited_s']),
  )
})
