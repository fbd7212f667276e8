import type { Environment } from '@switchroom/contract/scopes'
import type { LiveKitAddress } from '@switchroom/media/livekit/server'
import { fleetName, mediaUrl } from '@switchroom/process/setting-parsing'
import { readAllOrNone, type ReadSetting } from '@switchroom/process/setting-reader'

export type MediaServers = Readonly<Partial<Record<Environment, LiveKitAddress>>>

/** As the gateway reads them: a sandbox without a server of its own shares production's. */
export function readMediaServers(read: ReadSetting): MediaServers {
  const production = readAllOrNone(read, {
    url: ['SVC_MEDIA_URL', mediaUrl],
    key: ['SVC_MEDIA_KEY', String],
    secret: ['SVC_MEDIA_SECRET', String],
  })
  const own = readAllOrNone(read, {
    url: ['SVC_SANDBOX_MEDIA_URL', mediaUrl],
    key: ['SVC_SANDBOX_MEDIA_KEY', String],
    secret: ['SVC_SANDBOX_MEDIA_SECRET', String],
  })
  const sandbox = own ?? production
  return { ...(production && { production }), ...(sandbox && { sandbox }) }
}

export const readFleets = (read: ReadSetting): Record<Environment, string> => ({
  production: read('SVC_FLEET', fleetName) ?? 'production',
  sandbox: read('SVC_SANDBOX_FLEET', fleetName) ?? 'sandbox',
})
