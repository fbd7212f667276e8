import type { Logger } from 'pino'
import { makeApp, makeDashboard } from './app.ts'
import { migrate } from './database/migrations.ts'
import { claimVaultKey, refuseOtherVaultKey } from './database/vault-check.ts'
import type { Clock } from './foundation/clock.ts'
import type { Settings } from './foundation/settings.ts'
import { Listeners } from './http/listening.ts'
import type { Server } from './http/server.ts'
import { missingMailSetting } from './mail/environment-mailbox.ts'
import { makeServices, type Services } from './services.ts'

/** What runs after the stop was asked for may take this long. */
const graceMs = 10_000

export interface Gateway {
  services: Services
  server: Server
  port: number
  dashboard: Server
  dashboardPort: number
  stop(): Promise<void>
}

/** Starts a gateway on a database that answers: migrated, its secrets opened, listening. */
export async function startGateway(settings: Settings, clock: Clock, logger: Logger): Promise<Gateway> {
  const services = makeServices(settings, clock, logger)
  const { database, vault } = services
  const listeners = new Listeners(settings.host)
  let isStopping = false

  const whyNotReady = async () => {
    if (isStopping) return 'this gateway is stopping'
    return (await database.answers()) ? undefined : 'the database does not answer'
  }

  try {
    await services.rates.table()
    const applied = await migrate(database.pool)
    if (applied.length > 0) logger.info({ applied }, 'migrated the database')
    await refuseOtherVaultKey(database, vault)
    await services.providersRow.loadFirst()
    await services.runningGateways.start()
    await claimVaultKey(database, vault)
    await services.signals.start()
    await services.firewall.start()
    const dashboard = await makeDashboard(services)
    const server = await makeApp(services, whyNotReady, dashboard)
    const port = await listeners.open(server, settings.port, 'SVC_PORT')
    const dashboardPort = await listeners.open(dashboard, settings.dashboardPort, 'SVC_DASHBOARD_PORT')
    const missing = missingMailSetting(settings)
    if (missing) logger.warn(missing)
    for (const sentence of services.lending.uselessKeys()) logger.warn(sentence)
    services.post.start()
    services.driving.drives.start()
    services.openConnections.start()
    services.letterTasks.start()
    services.housekeeping.start()
    services.retention.start()
    services.writtenCalls.start()
    services.spokenCallTasks.start()
    services.placementTasks.start()
    services.reconciliationTasks.start()
    services.sendings.start()
    services.waitingMessages.start()

    const stop = async () => {
      isStopping = true
      await services.waitingMessages.stop()
      await services.writtenCalls.stop()
      await services.sendings.stop()
      await services.tools.stop()
      const lettersStopped = services.letterTasks.stop(graceMs)
      await listeners.close(graceMs)
      await lettersStopped
      await Promise.all([
        services.appSockets.forgetDead().then(() => services.holdingEntries.settled()),
        services.housekeeping.stop(),
        services.retention.stop(),
        services.spokenCallTasks.stop(),
        services.placementTasks.stop(),
        services.placements.stop(),
        services.reconciliationTasks.stop(),
        services.resets.settled(),
        services.authentication.settled(),
      ])
      await services.driving.drives.stop()
      await services.post.stop()
      await services.log.settled()
      await services.signals.stop()
      await services.runningGateways.stop()
      await database.close()
    }
    return { services, server, port, dashboard, dashboardPort, stop }
  } catch (error) {
    await listeners.close(0)
    await services.signals.stop()
    await services.runningGateways.stop()
    await database.close()
    throw error
  }
}
