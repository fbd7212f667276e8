import { positiveNumber } from '@switchroom/process/setting-parsing'
import { SettingError, type ReadSetting } from '@switchroom/process/setting-reader'

const mostConnections = 1000
/** Locks of numbers keep two connections to themselves, and the request that holds one needs another. */
const fewestForRequests = 4

/** How many connections to the database each kind of work may have open. */
export interface DatabasePoolSettings {
  requests: number
  writing: number
  slow: number
}

export function readDatabasePools(read: ReadSetting): DatabasePoolSettings {
  const all = read('SVC_DATABASE_POOL', positiveNumber) ?? 20
  const writing = read('SVC_DATABASE_POOL_WRITING', positiveNumber) ?? 4
  const slow = read('SVC_DATABASE_POOL_SLOW', positiveNumber) ?? 5
  const requests = all - writing - slow
  if (all > mostConnections)
    throw new SettingError(`SVC_DATABASE_POOL is at most ${mostConnections} (got ${all})`)
  if (requests < fewestForRequests)
    throw new SettingError(
      `SVC_DATABASE_POOL must be ${writing + slow + fewestForRequests} or more (got ${all}): writing has ${writing} of it, slow reads have ${slow}, and requests need ${fewestForRequests}`,
    )
  return { requests, writing, slow }
}
