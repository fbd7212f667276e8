import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { findVendors } from '@switchroom/kit/installed'
import { Listeners } from '@switchroom/process/listeners'
import { until } from '@switchroom/gateway/testing/until'
import { GatewayFake } from '../../testing/gateway-fake.ts'
import { speechMeters } from '../../testing/speech-meters.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'
import { GatewayClient } from '../gateway/gateway-client.ts'
import { makeLogger } from '@switchroom/process/logging'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import { listenOn } from '../app.ts'
import { makeServer } from '../http/server.ts'
import { readSettings } from '../foundation/settings.ts'
import { speechRoutes } from './speech.routes.ts'

const wire = await new VoiceWire().start()
after(() => wire.stop())
const gateway = await new GatewayFake().start()
after(() => gateway.stop())
gateway.grant = () => ({
  vendor: 'openai',
  model: 'tts-1',
  options: { base_url: wire.url },
  credentials: { api_key: 'theirs' },
})

/** Speech alone, which waits less long for its listeners. */
async function startSpeech(stallMs: number) {
  const settings = readSettings({ SVC_GATEWAY_URL: gateway.url, SVC_FLEET_KEY: 'svc_fleet_x' })
  const logger = makeLogger('silent', process.stdout)
  const client = new GatewayClient(settings, logger)
  const meters = speechMeters()
  const server = makeServer(settings, logger, meters)
  const tasks = new PeriodicTasks(logger)
  const parts = { settings, gateway: client, vendors: findVendors([]), tasks, meters }
  await server.register(async (scope) => speechRoutes(scope, parts, stallMs))
  const listeners = new Listeners()
  const port = await listenOn(listeners, server, { host: '127.0.0.1', port: 0 })
  after(() => listeners.close(1_000))
  return `http://127.0.0.1:${port}/v1/audio/speech`
}

/** A vendor that talks for as long as the client reads. */
const talk: VoiceWire['answer'] = (response) => {
  const piece = Buffer.alloc(100_000, 1)
  const say = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', say)
  say()
}

for (const [what, how] of Object.entries({
  sound: {},
  events: { timestamps: true },
  "OpenAI's events": { stream_format: 'sse', response_format: 'pcm' },
}))
  test(`a listener that reads nothing is closed, and its vendor cancelled; what it got is paid (SD-71; ${what})`, async () => {
    const url = await startSpeech(500)
    wire.answer = talk
    const [cancelled, settled] = [wire.cancelledAt.length, gateway.settled.length]
    const asking = request(url, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    })
    const input = 'x'.repeat(5_000)
    asking.end(JSON.stringify({ input, voice: 'openai/coral', sample_rate: 24_000, ...how }))
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 200)
    await until('the vendor is cancelled', () => wire.cancelledAt.length > cancelled && wire.open === 0)
    await until('it is settled', () => gateway.settled.length > settled)
    assert.equal(gateway.settled.at(-1)?.spoken, true)
    await assert.rejects(async () => {
      for await (const piece of answer) assert.ok(piece)
    }, /aborted/)
  })
