import { findVendors } from '@switchroom/kit/installed'
import { pino } from 'pino'
import { makeSpeechServer } from './app.ts'
import { GatewayClient } from './gateway-client.ts'
import { closeWithin, listen } from './listening.ts'
import { makeLogger } from './logging.ts'
import { readSettings, SettingError } from './settings.ts'

/** What runs after the stop was asked for may take this long. */
const graceMs = 10_000

try {
  const settings = readSettings(process.env)
  const destination = pino.destination({ fd: 1, sync: false, minLength: 16_000, periodicFlush: 500 })
  const logger = makeLogger(settings.logLevel, destination)
  const gateway = new GatewayClient(settings, logger)
  const server = await makeSpeechServer(settings, gateway, findVendors(settings.vendorFolders), logger)
  const port = await listen(server, settings.host, settings.port)
  logger.info({ host: settings.host, port }, 'listening')

  let stopping: Promise<void> | undefined
  const stop = (reason: string) => {
    stopping ??= (async () => {
      logger.info({ reason }, 'stopping')
      await closeWithin(server, graceMs)
      await gateway.settled(graceMs)
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
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof SettingError ? 2 : 1)
}
