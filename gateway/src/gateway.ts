import { Listeners, ListenError } from '@switchroom/process/listeners'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import { makeApp, makeDashboard, makeMetrics } from './app.ts'
import { checkDatabaseAddresses } from './database/address-check.ts'
import { migrate } from './database/migrations.ts'
import { claimVaultKey, refuseOtherVaultKey } from './database/vault-check.ts'
import type { Clock } from './foundation/clock.ts'
import type { Settings } from './foundation/settings.ts'
import type { Server } from './http/server.ts'
import { missingMailSetting } from './mail/environment-mailbox.ts'
import { makeServices, type Services } from './services.ts'

/** How long requests and letters under way may take after the stop was asked for, and a database to answer. */
const graceMs = 10_000

export interface Gateway {
  services: Services
  server: Server
  port: number
  dashboard: Server
  dashboardPort: number
  metrics: Server
  /** None if the default port was taken. */
  metricsPort: number | undefined
  /** For how long what ages is kept, as a sentence. */
  kept: string
  stop(): Promise<void>
}

/** Starts a gateway on a database that answers: migrated, its secrets opened, listening. */
export async function startGateway(settings: Settings, clock: Clock, logger: Logger): Promise<Gateway> {
  const services = makeServices(settings, clock, logger)
  const { database, pools, vault, tasks } = services
  const listeners = new Listeners()
  let isStopping = false

  const whyNotReady = async () => {
    if (isStopping) return 'this gateway is stopping'
    if (!(await database.answers())) return 'the database does not answer'
    return services.directConnection.isOpen
      ? undefined
      : 'the connection by which this gateway hears the others and proves that it lives is lost'
  }

  try {
    await services.rates.table()
    await checkDatabaseAddresses(pools)
    const applied = await migrate(pools.sessions.pool)
    if (applied.length > 0) logger.info({ applied }, 'migrated the database')
    await refuseOtherVaultKey(database, vault)
    await services.providersRow.loadFirst()
    await services.runningGateways.start()
    tasks.start(services.runningGateways.heartbeat)
    await claimVaultKey(database, vault)
    await services.signals.start()
    await services.directConnection.start()
    await services.firewall.start()
    const dashboard = await makeDashboard(services)
    const server = await makeApp(
      services,
      { whyNotReady, whyDegraded: () => services.signals.whyDegraded },
      dashboard,
    )
    const metrics = await makeMetrics(services)
    const { host } = settings
    const open = (listening: Server, at: number, setting: string) =>
      listeners.open(listening, { host, port: at, setting, hostSetting: 'SVC_HOST' })
    const port = await open(server, settings.port, 'SVC_PORT')
    const dashboardPort = await open(dashboard, settings.dashboardPort, 'SVC_DASHBOARD_PORT')
    const metricsPort = await openMetrics(listeners, metrics, settings, logger)
    const missing = missingMailSetting(settings)
    if (missing) logger.warn(missing)
    for (const sentence of services.lentKeys.uselessKeys()) logger.warn(sentence)
    for (const blobs of services.blobStores)
      void blobs
        .check()
        .catch((error: Error) =>
          logger.warn(`recordings and documents cannot be stored now: ${error.message}`),
        )
    const kept = await services.lives.sentence()
    logger.info(kept)
    services.mailbox.start()
    services.letterTasks.start()
    const upkeep = upkeepTasks(services)
    const newWork = [
      services.untranscribedMessages.task,
      services.waitingMessages.task,
      services.attemptTasks.task,
      services.writtenCalls.task,
      services.writtenCalls.adoptionTask,
      services.callOutlets.task,
      services.readingTasks.task,
    ]
    tasks.start(...upkeep, services.letterTasks.task, services.webhookTasks.task, ...newWork)

    const stop = async () => {
      isStopping = true
      const giveUp = setInterval(() => void pools.giveUpIfSilent(), graceMs)
      await tasks.stop(...newWork)
      await services.untranscribedMessages.stop()
      await services.waitingMessages.stop()
      await services.attemptTasks.stop()
      await services.writtenCalls.stop()
      await services.callOutlets.stop()
      await services.readingTasks.stop()
      await services.tools.stop()
      const lettersStopped = tasks
        .stop(services.letterTasks.task)
        .then(() => services.letterTasks.stop(graceMs))
      const webhooksStopped = tasks
        .stop(services.webhookTasks.task)
        .then(() => services.webhookTasks.stop(graceMs))
      await listeners.close(graceMs)
      await lettersStopped
      await webhooksStopped
      services.retention.stop()
      await Promise.all([
        tasks.stop(...upkeep),
        services.appSockets
          .deleteExpired()
          .then(() => Promise.all([services.connectionEntries.settled(), services.holderNotices.settled()])),
        services.placements.stop(),
        services.resets.settled(),
        services.authentication.settled(),
      ])
      await services.appRequests.assignments.stop()
      await services.mailbox.stop()
      await services.log.settled()
      await services.signals.stop()
      await services.directConnection.stop()
      await tasks.stopAll()
      await services.runningGateways.stop()
      await pools.close()
      clearInterval(giveUp)
    }
    return { services, server, port, dashboard, dashboardPort, metrics, metricsPort, kept, stop }
  } catch (error) {
    await listeners.close(0)
    await services.signals.stop()
    await services.directConnection.stop()
    await tasks.stopAll()
    await services.runningGateways.stop()
    await pools.close()
    throw error
  }
}

/** Periodic tasks that run until the last request is answered. */
const upkeepTasks = (services: Services): PeriodicTask[] => [
  services.liveLogs.task,
  services.mailbox.task,
  services.workerNotifier.task,
  services.openConnections.task,
  services.appRequests.assignments.task,
  services.appRequests.assignments.acknowledging,
  services.housekeeping.task,
  services.retention.task,
  services.retentionIndexes.task,
  services.accounts.task,
  services.callTotals.task,
  ...services.spokenCallTasks,
  services.blobLedger.task,
  services.documentMoves.task,
  ...services.recordingTasks,
  ...services.backfillTasks,
  ...services.threadTasks,
  ...services.placementTasks,
  services.reconciliationTask,
  services.carrierReleaseTask,
  services.firewall.task,
]

/** The default port may be another gateway's on this machine: then this one runs without metrics. */
async function openMetrics(listeners: Listeners, metrics: Server, { limits }: Settings, logger: Logger) {
  const { metricsHost: host, metricsPort: port, isMetricsPortSet } = limits
  const at = { host, port, setting: 'SVC_METRICS_PORT', hostSetting: 'SVC_METRICS_HOST' }
  try {
    return await listeners.open(metrics, at)
  } catch (error) {
    if (isMetricsPortSet || !(error instanceof ListenError) || !error.isPortTaken) throw error
    logger.warn(
      `port ${port} on ${host} is taken, so this gateway serves no metrics: set SVC_METRICS_PORT to another`,
    )
    await metrics.close()
    return undefined
  }
}
