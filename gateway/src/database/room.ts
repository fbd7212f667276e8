import { metricsOf, type MetricNames } from '@switchroom/contract/metrics/table'
import { Meters } from '@switchroom/process/meters'
import type { Clock } from '../foundation/clock.ts'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Settings } from '../foundation/settings.ts'
import { DatabasePools } from './pools.ts'
import { observePools } from './pool-metrics.ts'
import { openBlobStores } from '../foundation/blobs/open-blob-stores.ts'
import { PublicAddresses } from '../foundation/public-addresses.ts'
import { BlobLedger } from './blobs/blob-ledger.ts'
import { DueChecks } from './due-checks.ts'
import { DirectConnection } from './direct-connection.ts'
import { readDeploymentId } from './deployment.store.ts'
import { Lives } from './lives.ts'
import { PostgresSignals } from './postgres-signals.ts'
import { RedisSignals } from './redis-signals.ts'
import type { Signals } from './signals.ts'
import { Vault } from '../foundation/sealing.ts'

export type GatewayMeters = Meters<MetricNames>

export type Infrastructure = ReturnType<typeof makeInfrastructure>

/** What every room needs. */
export function makeInfrastructure(settings: Settings, clock: Clock, logger: Logger) {
  const meters: GatewayMeters = new Meters(metricsOf('gateway'))
  const { registry: metrics } = meters
  const vault = new Vault(settings.vaultKey, settings.olderVaultKey)
  const publicAddresses = new PublicAddresses(settings)
  const { databaseUrl, databaseDirectUrl } = settings
  const pools = new DatabasePools(databaseUrl, settings.databasePools, logger, databaseDirectUrl)
  const { requests: database, writing: writingDatabase, slow: slowDatabase } = pools
  observePools(meters, pools)
  const directConnection = new DirectConnection(databaseDirectUrl ?? databaseUrl, logger)
  const { redisUrl, caPem } = settings
  const readDeployment = () => readDeploymentId(database)
  const signals: Signals = redisUrl
    ? new RedisSignals({ server: { url: redisUrl, caPem }, logger, readDeployment })
    : new PostgresSignals(directConnection, logger)
  const dueChecks = new DueChecks(writingDatabase)
  const lives = new Lives(slowDatabase, settings.lives)
  const blobStores = openBlobStores(settings)
  const blobLedger = new BlobLedger({ database, clock, logger, stores: blobStores })
  const tasks = new PeriodicTasks(logger)

  return {
    settings,
    clock,
    logger,
    tasks,
    metrics,
    meters,
    vault,
    publicAddresses,
    pools,
    database,
    writingDatabase,
    slowDatabase,
    dueChecks,
    lives,
    blobStores,
    blobLedger,
    directConnection,
    signals,
  }
}
