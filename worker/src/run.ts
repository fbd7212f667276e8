import { openLog } from '@switchroom/process/logging'
import { runProcess } from '@switchroom/process/run-process'
import { readSettings } from './settings.ts'
import { Worker } from './worker.ts'

/** How long the end of a call may take if the worker ends it. */
const graceMs = 8_000

await runProcess(async () => {
  const settings = readSettings(process.env)
  const log = openLog(settings.logLevel)
  const worker = await Worker.start(settings, log.logger)
  const { sipPort, sipTlsPort: tls } = worker
  if (sipPort === undefined) log.logger.info('started')
  else log.logger.info({ host: settings.sipHost, port: sipPort, ...(tls && { tls }) }, 'listening')
  const isOtherPort = sipPort !== undefined && sipPort !== settings.sipPort
  return {
    log,
    drain: () => worker.drain(),
    stop: () => worker.stop(graceMs),
    messages: isOtherPort ? [{ phones: `${settings.mediaAddress}:${sipPort}` }] : [],
  }
})
