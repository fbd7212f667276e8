import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { transcribe } from '../../testing/form-caller.ts'
import { LiveClient } from '../../testing/live-client.ts'
import { recording } from '@switchroom/kit/testing/recordings'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith, VoiceCaller } from '../../testing/voice-deployment.ts'

const speech = await startWithFakeGateway()
after(() => speech[Symbol.asyncDispose]())
const { gateway, url } = speech
gateway.grant = () => ({ vendor: 'elsewhere' })
const sentence = 'elsewhere is not installed on this voice server'

test('a vendor that the gateway has and this voice server has not is refused in words, and costs nothing (S-452, SD-66)', async () => {
  const said = await new VoiceCaller(url, 'any').speech({ input: 'Hello.', voice: 'x' })
  refusedWith(said, 502, 'UPSTREAM_ERROR', sentence)
  const heard = await transcribe(url, { file: { bytes: recording('fox.wav') } })
  refusedWith(heard, 502, 'UPSTREAM_ERROR', sentence)
  const live = await new LiveClient(url).refused()
  assert.deepEqual(live, { code: 'UPSTREAM_ERROR', error: sentence, close: 1011 })
  await until('all are settled', () => gateway.settled.length === 3)
  const unpaid = [
    { grant: 'grant_1', spoken: false },
    { grant: 'grant_2', seconds: 0 },
    { grant: 'grant_3', seconds: 0 },
  ]
  const settled = gateway.settled.toSorted((a, b) => (a.grant < b.grant ? -1 : 1))
  assert.deepEqual(settled, unpaid)
})
