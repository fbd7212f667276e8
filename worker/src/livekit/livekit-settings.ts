import type { Environment } from '@switchroom/contract/scopes'
import type { LiveKitAddress } from '@switchroom/media/livekit/server'
import { SettingError } from '../setting-error.ts'

export type MediaServers = Readonly<Partial<Record<Environment, LiveKitAddress>>>

type Read = <T>(name: string, form: (value: string) => T) => T | undefined

/** As the gateway reads them: the sandbox shares production's where it has none of its own. */
export function mediaServersIn(read: Read, url: (value: string) => string): MediaServers {
  const production = serverIn(read, url, ['SVC_MEDIA_URL', 'SVC_MEDIA_KEY', 'SVC_MEDIA_SECRET'])
  const sandbox =
    serverIn(read, url, ['SVC_SANDBOX_MEDIA_URL', 'SVC_SANDBOX_MEDIA_KEY', 'SVC_SANDBOX_MEDIA_SECRET']) ??
    production
  return { ...(production && { production }), ...(sandbox && { sandbox }) }
}

export const fleetsIn = (read: Read): Record<Environment, string> => ({
  production: read('SVC_FLEET', fleetName) ?? 'production',
  sandbox: read('SVC_SANDBOX_FLEET', fleetName) ?? 'sandbox',
})

function serverIn(
  read: Read,
  form: (value: string) => string,
  names: [string, string, string],
): LiveKitAddress | undefined {
  const [url, key, secret] = [read(names[0], form), read(names[1], String), read(names[2], String)]
  if (url !== undefined && key !== undefined && secret !== undefined) return { url, key, secret }
  const unset = names.filter((name) => read(name, String) === undefined)
  if (unset.length === names.length) return undefined
  throw new SettingError(
    `${unset.join(' and ')} is not set: set ${names.join(', ')} together, or none of them`,
  )
}

function fleetName(value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value))
    throw new SettingError(`is not 1 to 63 letters, digits, dots, dashes and underscores: ${value}`)
  return value
}
