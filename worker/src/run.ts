import { pino } from 'pino'
import { makeLogger } from './logging.ts'
import { readSettings, SettingError } from './settings.ts'
import { Worker } from './worker.ts'

/** What the end of a call may take when it is ended from here. */
const graceMs = 8_000

try {
  const settings = readSettings(process.env)
  const destination = pino.destination({ fd: 1, sync: false, minLength: 16_000, periodicFlush: 500 })
  const logger = makeLogger(settings.logLevel, destination)
  const worker = await Worker.start(settings, logger)
  const { sipPort } = worker
  if (sipPort === undefined) logger.info('started')
  else logger.info({ host: settings.sipHost, port: sipPort }, 'listening')

  let draining: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  const stop = (reason: string) => {
    stopping ??= (async () => {
      logger.info({ reason }, 'stopping')
      await worker.stop(graceMs)
      logger.info('stopped')
      destination.flushSync()
      process.exit(0)
    })()
  }
  process.on('SIGTERM', () => {
    if (draining) return stop('SIGTERM again')
    draining = worker.drain().then(() => stop('drained'))
  })
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('disconnect', () => stop('the launcher is gone'))

  if (sipPort !== undefined && sipPort !== settings.sipPort)
    process.send?.({ phones: `${settings.mediaAddress}:${sipPort}` })
  process.send?.('ready')
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof SettingError ? 2 : 1)
}
