import { metricsOf } from '@switchroom/contract/metrics/table'
import { openLog } from '@switchroom/process/logging'
import { Meters } from '@switchroom/process/meters'
import { serveMetrics } from '@switchroom/process/metrics-listener'
import { runProcess } from '@switchroom/process/run-process'
import { serveHealth } from './health.ts'
import { startTelemetry } from '@switchroom/process/telemetry'
import { readSettings } from './settings.ts'
import { Worker } from './worker.ts'
import type { WorkerMeters } from './worker-metrics.ts'

/** How long the end of a call may take if the worker ends it. */
const graceMs = 8_000

await runProcess(async () => {
  const settings = readSettings(process.env)
  const log = openLog(settings.logLevel)
  const telemetry = await startTelemetry('switchroom-worker', process.env, log.logger)
  const meters: WorkerMeters = new Meters(metricsOf('worker'))
  await telemetry?.sendMetrics(() => meters.registry.getMetricsAsJSON())
  const metrics = await serveMetrics(meters.registry, settings.metrics, log.logger)
  let started: Worker | undefined
  const closeHealth = await serveHealth(settings.health, () =>
    started ? started.whyNotReady : 'this worker is starting',
  )
  const worker = (started = await Worker.start(settings, log.logger, meters))
  const { sipPort, sipTlsPort: tls } = worker
  if (sipPort === undefined) log.logger.info('started')
  else log.logger.info({ host: settings.sipHost, port: sipPort, ...(tls && { tls }) }, 'listening')
  const isOtherPort = sipPort !== undefined && sipPort !== settings.sipPort
  return {
    log,
    drain: () => worker.drain(),
    stop: async () => {
      await worker.stop(graceMs)
      await metrics.close()
      await closeHealth()
      await telemetry?.stop()
    },
    messages: isOtherPort ? [{ phones: `${settings.mediaAddress}:${sipPort}` }] : [],
  }
})
