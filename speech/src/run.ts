import { metricsOf } from '@switchroom/contract/metrics/table'
import { findVendors, type InstalledVendor, type InstalledVendors } from '@switchroom/kit/installed'
import { Listeners } from '@switchroom/process/listeners'
import { Meters } from '@switchroom/process/meters'
import { serveMetrics } from '@switchroom/process/metrics-listener'
import { openLog } from '@switchroom/process/logging'
import { runProcess } from '@switchroom/process/run-process'
import { startTelemetry } from '@switchroom/process/telemetry'
import type { Logger } from 'pino'
import { listenOn, makeSpeechServer } from './app.ts'
import { GatewayClient } from './gateway/gateway-client.ts'
import { readSettings } from './foundation/settings.ts'
import type { SpeechMeters } from './http/server.ts'

/** How long requests under way may take after the stop was asked for. */
const graceMs = 10_000
/** What is not warm by then, the first request waits for. */
const warmWithinMs = 20_000

/** Loads the vendors, and what they run on this machine. */
async function warmUp(vendors: InstalledVendors, logger: Logger) {
  const signal = AbortSignal.timeout(warmWithinMs)
  const warm = (vendor: InstalledVendor) =>
    vendor
      .warm(signal)
      .catch((error: unknown) => logger.debug({ err: error, vendor: vendor.name }, 'not warm at the start'))
  await Promise.all(vendors.all.map(warm))
}

await runProcess(async () => {
  const settings = readSettings(process.env)
  const log = openLog(settings.logLevel)
  const { logger } = log
  const telemetry = await startTelemetry('switchroom-voice-server', process.env, logger)
  const gateway = new GatewayClient(settings, logger)
  const vendors = findVendors(settings.vendorFolders)
  const meters: SpeechMeters = new Meters(metricsOf('voice server'))
  const metrics = await serveMetrics(meters.registry, settings.metrics, logger)
  await telemetry?.sendMetrics(() => meters.registry.getMetricsAsJSON())
  const server = await makeSpeechServer({ settings, gateway, vendors, logger, meters })
  const listeners = new Listeners()
  const port = await listenOn(listeners, server, settings)
  await warmUp(vendors, logger)
  logger.info({ host: settings.host, port }, 'listening')
  const stop = async () => {
    await listeners.close(graceMs)
    await gateway.settled(graceMs)
    await metrics.close()
    await telemetry?.stop()
  }
  return { log, stop }
})
