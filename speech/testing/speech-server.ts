import { Writable } from 'node:stream'
import { findVendors } from '@switchroom/kit/installed'
import { Listeners } from '@switchroom/process/listeners'
import { listenOn, makeSpeechServer } from '../src/app.ts'
import { GatewayClient } from '../src/gateway/gateway-client.ts'
import { makeLogger } from '@switchroom/process/logging'
import { readSettings } from '../src/foundation/settings.ts'
import { GatewayFake } from './gateway-fake.ts'
import { speechMeters } from './speech-meters.ts'

export interface SpeechServer extends AsyncDisposable {
  url: string
  /** Everything logged so far. */
  log: () => string
}

/** A voice server that asks this gateway, spoken to over real sockets. */
export async function startSpeechServer(
  gatewayUrl: string,
  fleetKey: string,
  wanted: Record<string, string> = {},
): Promise<SpeechServer> {
  const settings = readSettings({
    SVC_VOICE_PORT: '0',
    SVC_GATEWAY_URL: gatewayUrl,
    SVC_FLEET_KEY: fleetKey,
    ...wanted,
  })
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) })
  const logger = makeLogger('trace', sink)
  const gateway = new GatewayClient(settings, logger)
  const vendors = findVendors(settings.vendorFolders)
  const server = await makeSpeechServer({ settings, gateway, vendors, logger, meters: speechMeters() })
  const listeners = new Listeners()
  const port = await listenOn(listeners, server, settings)
  const dispose = async () => {
    await listeners.close(1_000)
    await gateway.settled(5_000)
  }
  let disposed: Promise<void> | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => lines.join(''),
    [Symbol.asyncDispose]: () => (disposed ??= dispose()),
  }
}

/** A voice server before a gateway that grants what a test says. */
export async function startWithFakeGateway(wanted: Record<string, string> = {}) {
  const gateway = await new GatewayFake().start()
  const speech = await startSpeechServer(gateway.url, 'svc_fleet_of-the-tests', wanted)
  const dispose = async () => {
    await speech[Symbol.asyncDispose]()
    await gateway.stop()
  }
  return { gateway, url: speech.url, log: speech.log, [Symbol.asyncDispose]: dispose }
}
