import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { startVoiceAgent, speech, textsOf, typesOf } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const key = 'sk-endpoint-mark-4f1c9e72aa'

test("a phone calls an agent on the org's own endpoint, and the worker asks it with the org's key", async (t) => {
  const fake = await EndpointFake.start({ key })
  afterwards(t, () => fake.stop())
  fake.reply = () => ({ text: ['Rye', ' bread.'] })
  const fixture = await startVoiceAgent(t)
  const { client } = await fixture.org.person('admin')
  const made = await client.post('/v1/model-endpoints', {
    name: 'bakery',
    base_url: fake.url,
    model: 'llama-3.3',
    wire: 'responses',
    key,
  })
  assert.equal(made.status, 201, made.text)
  const set = await client.put('/v1/agents/hello/settings', {
    config: { llm: 'custom/bakery', language: 'en', greeting: { say: 'Hello.' } },
    team: true,
    if_version: 0,
  })
  assert.equal(set.status, 200, set.text)
  fake.asked.length = 0

  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const { id } = await fixture.nextCall()
  await fixture.untilLogged(id, 'the greeting', (log) => typesOf(log).includes('bot.finished'))
  await phone.say(await speech('What is there today?'))
  const log = await fixture.untilLogged(id, 'an answer', (entries) =>
    textsOf(entries, 'agent.message').some((text) => text.includes('Rye bread.')),
  )
  assert.ok(fake.asked.length > 0)
  for (const { path, headers } of fake.asked)
    assert.deepEqual([path, headers.authorization], ['/v1/responses', `Bearer ${key}`])
  const asked = log.filter(({ type, data }) => type === 'metrics' && data['stage'] === 'llm')
  assert.deepEqual(asked.map(({ data }) => [data['vendor'], data['model']])[0], ['custom', 'bakery'])
  assert.ok(!JSON.stringify(log).includes(key) && !fixture.worker.said.includes(key))
})
