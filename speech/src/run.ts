import { findVendors } from '@switchroom/kit/installed'
import { Listeners } from '@switchroom/process/listeners'
import { openLog } from '@switchroom/process/logging'
import { runProcess } from '@switchroom/process/run-process'
import { listenOn, makeSpeechServer } from './app.ts'
import { GatewayClient } from './gateway/gateway-client.ts'
import { readSettings } from './foundation/settings.ts'

/** How long requests under way may take after the stop was asked for. */
const graceMs = 10_000

await runProcess(async () => {
  const settings = readSettings(process.env)
  const log = openLog(settings.logLevel)
  const { logger } = log
  const gateway = new GatewayClient(settings, logger)
  const vendors = findVendors(settings.vendorFolders)
  const server = await makeSpeechServer({ settings, gateway, vendors, logger })
  const listeners = new Listeners()
  const port = await listenOn(listeners, server, settings)
  logger.info({ host: settings.host, port }, 'listening')
  const stop = async () => {
    await listeners.close(graceMs)
    await gateway.settled(graceMs)
  }
  return { log, stop }
})
