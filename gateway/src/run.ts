import { openLog } from '@switchroom/process/logging'
import { runProcess } from '@switchroom/process/run-process'
import { startTelemetry } from '@switchroom/process/telemetry'
import { systemClock } from './foundation/clock.ts'
import { readSettings } from './foundation/settings.ts'
import { startGateway } from './gateway.ts'
import { startFailure } from './start-failure.ts'

await runProcess(async () => {
  const settings = readSettings(process.env)
  const log = openLog(settings.logLevel)
  if (settings.operatorKey !== undefined && settings.operatorKey.length < 20)
    log.logger.warn('SVC_OPERATOR_KEY is shorter than 20 characters: choose a longer one')
  const telemetry = await startTelemetry('switchroom-gateway', process.env, log.logger)
  const gateway = await startGateway(settings, systemClock, log.logger)
  const { port, dashboardPort, metricsPort, kept } = gateway
  await telemetry?.sendMetrics(() => gateway.services.metrics.getMetricsAsJSON())
  log.logger.info({ host: settings.host, port, dashboardPort, metricsPort }, 'listening')
  const stop = async () => {
    await gateway.stop()
    await telemetry?.stop()
  }
  return { log, stop, messages: [{ kept }] }
}, startFailure)
