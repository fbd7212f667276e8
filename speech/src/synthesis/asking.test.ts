import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith, VoiceCaller, wholeOf } from '../../testing/voice-deployment.ts'
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
  credentials: { api_key: 'theirs' },
})
beforeEach(() => {
  gateway.paths.length = 0
  gateway.refusals = {}
})

const caller = new VoiceCaller(speech.url, 'svc_live_x')
const wanted = { input: 'Hello.', voice: 'openai/coral' }
const grants = '/v1/voice/grants'

test('a speech asks the gateway once before its sound, with the key, and settles once after it (SD-67)', async () => {
  wire.answer = async (response) => {
    assert.deepEqual(gateway.paths, [grants])
    response.end(Buffer.alloc(9_600))
  }
  assert.equal((await caller.speech(wanted)).status, 200)
  await until('it is settled', () => gateway.settled.length > 0)
  assert.deepEqual(gateway.paths, [grants, `${grants}/grant_1/settlement`])
  assert.equal(gateway.asked.at(-1)?.key, 'svc_live_x')
})

test('for an invalid request the gateway is asked only who sends it, and that comes first (SD-67)', async () => {
  const bodies = [
    ['{broken', 'application/json', 400, 'BAD_REQUEST'],
    ['{}', 'application/json', 400, 'BAD_REQUEST'],
    ['hello', 'text/plain', 415, 'UNSUPPORTED_MEDIA'],
    [' '.repeat(2_000_000), 'application/json', 413, 'INPUT_TOO_LONG'],
    [JSON.stringify({ ...wanted, response_format: 'opus' }), 'application/json', 400, 'FORMAT_UNSUPPORTED'],
  ] as const
  for (const [body, type, status, code] of bodies) {
    const send = async (who: VoiceCaller) => {
      const headers = { 'content-type': type }
      return wholeOf(await who.send('/v1/audio/speech', { method: 'POST', body, headers }))
    }
    gateway.paths.length = 0
    gateway.refusals = {}
    const answer = await send(caller)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    assert.deepEqual(gateway.paths, ['/v1/voice/entries'])
    refusedWith(await send(new VoiceCaller(speech.url)), 401, 'MISSING_KEY', 'this door takes an API key')
    gateway.refusals.entry = { status: 429, code: 'RATE_LIMITED', error: 'too often', retry_after_s: 7 }
    const limited = await send(caller)
    refusedWith(limited, 429, 'RATE_LIMITED', 'too often')
    assert.equal(limited.headers.get('retry-after'), '7')
  }
})

test('what the gateway refuses of a whole request is not asked twice (SD-67)', async () => {
  gateway.refusals.grant = { status: 400, code: 'BAD_VOICE', error: 'there is no such voice' }
  refusedWith(await caller.speech(wanted), 400, 'BAD_VOICE', 'there is no such voice')
  gateway.refusals.entry = { status: 402, code: 'SUBSCRIPTION_REQUIRED', error: 'no subscription' }
  refusedWith(await caller.speech(wanted), 402, 'SUBSCRIPTION_REQUIRED', 'no subscription')
  assert.deepEqual(gateway.paths, [grants, grants])
})

test('a gateway that closed its connections is asked again, once', async () => {
  gateway.settled.length = 0
  wire.answer = (response) => void response.end(Buffer.alloc(9_600))
  assert.equal((await caller.speech(wanted)).status, 200)
  await until('it is settled', () => gateway.settled.length === 1)
  gateway.failures = 1
  assert.equal((await caller.speech(wanted)).status, 200)
  await until('it is settled', () => gateway.settled.length === 2)
  gateway.failures = 2
  const sentence = 'the gateway does not answer: try again in a moment'
  refusedWith(await caller.speech(wanted), 503, 'UNAVAILABLE', sentence)
  assert.equal((await caller.speech(wanted)).status, 200)
})
