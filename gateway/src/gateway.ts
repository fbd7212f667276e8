import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { makeApp } from './app.ts'
import { migrate } from './database/migrations.ts'
import { refuseOtherVaultKey } from './database/vault-check.ts'
import type { Clock } from './foundation/clock.ts'
import type { Settings } from './foundation/settings.ts'
import type { Server } from './http/server.ts'
import { missingMailSetting } from './mail/environment-mailbox.ts'
import { makeServices, type Services } from './services.ts'

/** What runs after the stop was asked for may take this long. */
const graceMs = 10_000

export interface Gateway {
  services: Services
  server: Server
  port: number
  stop(): Promise<void>
}

/** Starts a gateway on a database that answers: migrated, its secrets opened, listening. */
export async function startGateway(settings: Settings, clock: Clock, logger: Logger): Promise<Gateway> {
  const services = makeServices(settings, clock, logger)
  const { database, vault } = services
  let isStopping = false

  const whyNotReady = async () => {
    if (isStopping) return 'this gateway is stopping'
    return (await database.answers()) ? undefined : 'the database does not answer'
  }

  try {
    const applied = await migrate(database.pool)
    if (applied.length > 0) logger.info({ applied }, 'migrated the database')
    await refuseOtherVaultKey(database, vault)
    const server = await makeApp(services, whyNotReady)
    await server.listen({ host: settings.host, port: settings.port })
    const missing = missingMailSetting(settings)
    if (missing) logger.warn(missing)
    services.letterTasks.start()
    services.housekeeping.start()

    const stop = async () => {
      isStopping = true
      const lettersStopped = services.letterTasks.stop(graceMs)
      const idle = setInterval(() => server.server.closeIdleConnections(), 50) // as soon as their last answer left
      const lastCall = setTimeout(() => server.server.closeAllConnections(), graceMs)
      await server.close()
      clearInterval(idle)
      clearTimeout(lastCall)
      await lettersStopped
      await Promise.all([
        services.housekeeping.stop(),
        services.resets.settled(),
        services.authentication.settled(),
      ])
      await database.close()
    }
    return { services, server, port: (server.server.address() as AddressInfo).port, stop }
  } catch (error) {
    await database.close()
    throw error
  }
}
