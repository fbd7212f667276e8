import { pino } from 'pino'
import { systemClock } from './foundation/clock.ts'
import { readSettings } from './foundation/settings.ts'
import { startGateway } from './gateway.ts'
import { makeLogger } from './http/logging.ts'
import { exitStatusOf, startFailure } from './start-failure.ts'

try {
  const settings = readSettings(process.env)
  const destination = pino.destination({ fd: 1, sync: false, minLength: 16_000, periodicFlush: 500 })
  const logger = makeLogger(settings.logLevel, destination)
  if (settings.operatorKey !== undefined && settings.operatorKey.length < 20)
    logger.warn('SVC_OPERATOR_KEY is shorter than 20 characters: choose a longer one')

  const gateway = await startGateway(settings, systemClock, logger)
  const { port, dashboardPort, metricsPort } = gateway
  logger.info({ host: settings.host, port, dashboardPort, metricsPort }, 'listening')

  let stopping: Promise<void> | undefined
  const stop = (reason: string) => {
    stopping ??= (async () => {
      logger.info({ reason }, 'stopping')
      await gateway.stop()
      logger.info('stopped')
      destination.flushSync()
      process.exit(0)
    })()
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('disconnect', () => stop('the launcher is gone'))
  process.send?.('ready') // from here on it takes signals
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`)
  process.exit(exitStatusOf(error))
}
