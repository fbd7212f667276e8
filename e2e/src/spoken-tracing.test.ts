import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { traceHere } from '@switchroom/telemetry/testing/traced'
import { startVoiceAgent, speech, textsOf, typesOf } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const key = 'sk-endpoint-of-the-traces-4f1c9e72aa'

test('a spoken call is one trace over gateway and worker: the call, its turns, their stages, and the requests and statements that they make; the model gets its span', async (t) => {
  const traced = await traceHere({ OTEL_BSP_SCHEDULE_DELAY: '100' }) // the gateway runs in the process of the test
  afterwards(t, () => traced[Symbol.asyncDispose]())
  const { collector } = traced
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' }
  const fake = await EndpointFake.start({ key })
  afterwards(t, () => fake.stop())
  fake.reply = () => ({ text: ['Rye', ' bread.'] })
  const fixture = await startVoiceAgent(t, {}, { worker: settings })
  const { client } = await fixture.org.person('admin')
  const made = await client.post('/v1/model-endpoints', {
    name: 'bakery',
    base_url: fake.url,
    model: 'llama-3.3',
    wire: 'responses',
    key,
  })
  assert.equal(made.status, 201, made.text)
  const config = { llm: 'custom/bakery', language: 'en', greeting: { say: 'Hello.' } }
  const set = await client.put('/v1/agents/hello/settings', { config, team: true, if_version: 0 })
  assert.equal(set.status, 200, set.text)
  fake.asked.length = 0

  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const { id } = await fixture.nextCall()
  await fixture.untilLogged(id, 'the greeting', (log) => typesOf(log).includes('bot.finished'))
  await phone.say(await speech('What is there today?'))
  await fixture.untilLogged(id, 'an answer', (entries) =>
    textsOf(entries, 'agent.message').some((text) => text.includes('Rye bread.')),
  )
  await phone.hangUp()
  await fixture.untilEnded(id)
  const state = await client.get(`/v1/calls/${id}/state`)
  const traceId = String(state.body.trace_id)
  assert.match(traceId, /^[\da-f]{32}$/)
  const wanted = [
    'switchroom-test call < ',
    'switchroom-worker turn < call',
    'switchroom-worker end_of_turn < turn',
    'switchroom-worker speech_to_text < turn',
    'switchroom-worker chat bakery < turn',
    'switchroom-worker voice < turn',
    'switchroom-test POST /v1/calls/:call/preparing < turn',
    'switchroom-test GET /v1/calls/:call/instructions < call',
  ]
  const shape = () => {
    const spans = collector.spansOf(traceId)
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
    return new Set(
      spans.map(
        ({ name, parentSpanId, resource }) =>
          `${String(resource['service.name'])} ${name} < ${names.get(parentSpanId) ?? parentSpanId}`,
      ),
    )
  }
  await until(
    'the whole trace is sent',
    () => {
      const found = shape()
      return wanted.every((line) => found.has(line))
    },
    30_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; there are: ${[...shape()].join('\n')}`)
  })
  const spans = collector.spansOf(traceId)
  assert.ok([...shape()].some((line) => line.startsWith('switchroom-worker text_to_speech ')))
  assert.ok(spans.some(({ attributes }) => attributes['db.system.name'] === 'postgresql'))
  const models = new Set(spans.filter(({ name }) => name === 'chat bakery').map(({ spanId }) => spanId))
  assert.ok(fake.asked.length > 0)
  for (const { headers } of fake.asked) {
    const [, trace, span = ''] = String(headers['traceparent']).split('-')
    assert.equal(trace, traceId)
    assert.ok(models.has(span), 'the model gets its own span')
  }
  const all = JSON.stringify(collector.spans)
  for (const secret of ['today', 'Rye', '5550100100', key, 'Hello.'])
    assert.ok(!all.includes(secret), `${secret} is in a span`)
})
