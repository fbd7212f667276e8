import { Writable } from 'node:stream'
import { findVendors } from '@switchroom/kit/installed'
import { Listeners } from '@switchroom/process/listeners'
import { GatewayClient } from '../src/gateway/gateway-client.ts'
import { streamRoutes } from '../src/live/live.routes.ts'
import { usualLimits, type LiveLimits } from '../src/live/live-limits.ts'
import { makeLogger } from '@switchroom/process/logging'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import { listenOn } from '../src/app.ts'
import { makeServer } from '../src/http/server.ts'
import { readSettings } from '../src/foundation/settings.ts'
import { startTranscriberWire } from './transcriber-wire.ts'
import { GatewayFake } from './gateway-fake.ts'
import { speechMeters } from './speech-meters.ts'

/** Live transcription alone, before a gateway that grants a vendor whose wire is ours, and less patient. */
export async function startLive(hurried: Partial<LiveLimits> = {}, vendorFolders: string[] = []) {
  const wire = await startTranscriberWire()
  const gateway = await new GatewayFake().start()
  gateway.grant = () => ({
    vendor: 'deepgram',
    model: 'nova-3',
    options: { base_url: wire.fake.url },
    credentials: { api_key: 'their key' },
  })
  const settings = readSettings({
    SVC_GATEWAY_URL: gateway.url,
    SVC_FLEET_KEY: 'svc_fleet_x',
    SVC_VOICE_PORT: '0',
  })
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) })
  const logger = makeLogger('trace', sink)
  const client = new GatewayClient(settings, logger)
  const meters = speechMeters()
  const server = makeServer(settings, logger, meters)
  const tasks = new PeriodicTasks(logger)
  const parts = { settings, gateway: client, vendors: findVendors(vendorFolders), tasks, meters }
  await server.register(async (scope) => streamRoutes(scope, parts, { ...usualLimits, ...hurried }))
  const listeners = new Listeners()
  const port = await listenOn(listeners, server, settings)
  const stop = async () => {
    await listeners.close(5_000)
    await tasks.stopAll()
  }
  return {
    wire,
    gateway,
    url: `http://127.0.0.1:${port}`,
    log: () => lines.join(''),
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      await client.settled(5_000)
      await gateway.stop()
      await wire.fake.stop()
    },
  }
}
