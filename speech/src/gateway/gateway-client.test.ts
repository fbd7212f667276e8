import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { VoiceCaller } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const wire = await new VoiceWire().start()
after(() => wire.stop())
const speech = await startWithFakeGateway()
after(() => speech[Symbol.asyncDispose]())
const { gateway } = speech
gateway.grant = () => ({
  vendor: 'openai',
  model: 'tts-1',
  options: { base_url: wire.url },
  credentials: { api_key: 'marked-credential' },
})
const caller = new VoiceCaller(speech.url, 'svc_live_x')
const wanted = { input: 'Hello.', voice: 'openai/coral' }

test('a settlement is retried until the gateway has it, once (SD-66)', async () => {
  wire.answer = (response) => {
    response.write(Buffer.alloc(9_600))
    gateway.failures = 3
    response.end()
  }
  assert.equal((await caller.speech(wanted)).status, 200)
  await until('it is settled', () => gateway.settled.length > 0)
  assert.deepEqual(gateway.settled, [{ grant: 'grant_1', spoken: true }])
})

test('of fifty requests at the same time each has its own grant, and each is settled by its outcome (SD-66)', async () => {
  gateway.settled.length = 0
  let count = 0
  wire.answer = (response) => {
    count += 1
    if (count % 2 === 0) response.writeHead(500).end()
    else response.end(Buffer.alloc(9_600))
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => caller.speech(wanted)))
  const spoken = answers.filter(({ status }) => status === 200).length
  assert.equal(spoken, 25)
  await until('all are settled', () => gateway.settled.length === 50)
  assert.equal(gateway.settled.filter((settled) => settled.spoken).length, 25)
  assert.equal(new Set(gateway.settled.map(({ grant }) => grant)).size, 50)
})

test('nothing that the gateway lends is in any log line (SD-53)', () => {
  assert.equal(speech.log().includes('marked-credential'), false)
})
